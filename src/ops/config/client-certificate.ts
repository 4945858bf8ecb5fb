import { isIP } from 'node:net';
import { z } from 'zod';
import {
  CERTIFICATE_FORMS,
  HEADER_OF_FORM,
  UNIX_PEER,
  type CertificateForm,
} from './certificate-form.ts';
import { fileIn, text, unique } from './reading/value.ts';
import type { FileChecks } from './reading/named-file.ts';
import { strict } from './reading/strict.ts';

/** Forms whose header has no standard name. */
const NAMED_FREELY: ReadonlySet<CertificateForm> = new Set(['escaped-pem', 'base64-der']);

/** Peers on this machine. */
const FROM = ['127.0.0.1', '::1', UNIX_PEER];

/** Two during a rotation; more for several environments of the service. */
const PINS_MAX = 32;

const SHA1_REFUSED =
  'the key "allow" is no longer taken: SHA-1 fingerprints can be forged. Write "form" (what your proxy sends; "escaped-pem" for nginx) and "pins": ["sha256:DIGITS"]; `openssl x509 -in client.pem -outform der | sha256sum` prints the digits';

const pin = z
  .string()
  .regex(
    /^(sha256|spki-sha256):[0-9a-f]{64}$/,
    'must be "sha256:" (certificate) or "spki-sha256:" (public key) with 64 hexadecimal digits in small letters; `openssl x509 -in client.pem -outform der | sha256sum` prints those of a certificate',
  );

function isPeer(value: string): boolean {
  if (value === UNIX_PEER) return true;
  const [address = '', bits, ...more] = value.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

const peer = z
  .string()
  .refine(isPeer, 'must be "unix", an IP address, or a range of addresses, e.g. "10.0.0.0/8"');

const FORM_TEXT = `must be one of ${CERTIFICATE_FORMS.join(', ')}`;

/** The certificate that a delivery needs, and the peers that may hand it on. */
export function clientCertificateIn(folder: string, checks: FileChecks) {
  return strict(
    {
      form: z.enum(CERTIFICATE_FORMS, FORM_TEXT),
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header: letters, digits and -')
        .toLowerCase()
        .exactOptional(),
      from: z.array(peer).min(1, 'needs at least one peer').exactOptional(),
      pins: z
        .array(pin)
        .min(1, 'needs at least one pin')
        .max(PINS_MAX, `takes at most ${PINS_MAX} pins`)
        .refine(
          unique((one) => one),
          'contains the same pin twice',
        ),
      issuerFile: fileIn(folder, checks, 'certificate').exactOptional(),
      names: z.array(text).min(1, 'needs at least one name').exactOptional(),
    },
    { allow: SHA1_REFUSED },
  )
    .superRefine(({ form, header, from }, context) => {
      const report = (key: string, message: string): void =>
        context.addIssue({ code: 'custom', path: [key], message });
      if (header !== undefined && !NAMED_FREELY.has(form)) {
        report('header', `has a fixed name with the form "${form}": leave it out`);
      }
      if (header !== undefined && isHeaderOfOther(form, header)) {
        report('header', 'is the header of another form');
      }
      if (from !== undefined && form === 'tls') {
        report('from', 'is for certificates that a proxy hands on: leave it out with "tls"');
      }
    })
    .transform((given) => ({ ...given, from: given.from ?? FROM }));
}

function isHeaderOfOther(form: CertificateForm, header: string): boolean {
  const others = Object.entries(HEADER_OF_FORM).filter(([other]) => other !== form);
  return header === 'client-cert-chain' || others.some(([, name]) => name === header);
}

interface Together {
  readonly listen: { readonly socket?: string | undefined; readonly tls?: { caFile?: string } };
  readonly intake: { readonly clientCertificate?: { form: CertificateForm; from: string[] } };
}

/** Checks the certificate's form against the listener; problems by the key below `intake`. */
export function checkTogether(
  { listen, intake: { clientCertificate: rule } }: Together,
  report: (key: 'form' | 'from', message: string) => void,
): void {
  if (rule === undefined) return;
  if (rule.form === 'tls') {
    if (listen.tls?.caFile === undefined) report('form', 'is "tls": it needs listen.tls.caFile');
    return;
  }
  const hasUnix = rule.from.includes(UNIX_PEER);
  if (listen.socket !== undefined && !hasUnix) {
    report('from', 'has no "unix", but deliveries arrive at listen.socket: add "unix"');
  }
  if (listen.socket === undefined && rule.from.every((one) => one === UNIX_PEER)) {
    report('from', 'has "unix" alone, but listen.socket is not set: set it, or name addresses');
  }
}
