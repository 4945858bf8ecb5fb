import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  anyCertificateHeader,
  CertificateHeader,
  type HeaderFound,
} from '../../../src/daemon/senders/certificate-header.ts';
import { CERTIFICATE_FORMS } from '../../../src/ops/config/certificate-form.ts';

type Rule = ConstructorParameters<typeof CertificateHeader>[0];
type Verdict = Extract<HeaderFound, { kind: 'refused' }>['reason'] | 'none' | `found ${string}`;

function verdictOf(rule: Rule, headers: readonly string[]): Verdict {
  const found = new CertificateHeader(rule).find(headers);
  if (found.kind === 'none') return 'none';
  return found.kind === 'refused' ? found.reason : `found ${found.value}`;
}

const RFC9440: Rule = { form: 'client-cert' };
const NGINX: Rule = { form: 'escaped-pem' };
const OWN_NAME: Rule = { form: 'escaped-pem', header: 'ssl-client-cert' };
const DER: Rule = { form: 'base64-der' };
const ENVOY: Rule = { form: 'x-forwarded-client-cert' };
const TLS: Rule = { form: 'tls' };

const CASES: readonly (readonly [Rule, readonly string[], Verdict])[] = [
  [RFC9440, ['Host', 'x', 'Client-Cert', ':a:'], 'found :a:'],
  [RFC9440, ['CLIENT-CERT', ':a:', 'Client-Cert-Chain', ':b:'], 'found :a:'],
  [RFC9440, ['Client-Cert-Chain', ':b:'], 'missing'],
  [RFC9440, ['Client-Cert', ''], 'missing'],
  [RFC9440, ['Host', 'x'], 'missing'],
  [RFC9440, ['Client-Cert', ':a:', 'client-cert', ':a:'], 'duplicate'],
  [RFC9440, ['Client-Cert', '', 'Client-Cert', ':a:'], 'duplicate'],
  [
    RFC9440,
    ['Client-Cert', ':a:', 'Client-Cert-Chain', ':b:', 'Client-Cert-Chain', ':b:'],
    'duplicate',
  ],
  [RFC9440, ['Client-Cert', ':a:', 'X-Client-Certificate', 'a'], 'other_form'],
  [RFC9440, ['Client-Cert', ':a:', 'X-Forwarded-Client-Cert', 'Cert=a'], 'other_form'],
  [RFC9440, ['X-Forwarded-Client-Cert', '', 'Client-Cert', ':a:'], 'other_form'],
  [RFC9440, ['client_cert', ':a:'], 'other_form'],
  [RFC9440, ['Client-Cert', ':a:', 'Client_Cert', ':a:'], 'other_form'],
  [RFC9440, ['Client-Cert', ':a:', 'Client_Cert_Chain', ':a:'], 'other_form'],
  [RFC9440, ['Client-Cert', ':a:', 'Client.Cert', ':a:'], 'other_form'],
  [NGINX, ['X-Client-Certificate', 'a'], 'found a'],
  [NGINX, ['X-Client-Certificate', 'a', 'x_client_certificate', 'a'], 'other_form'],
  [NGINX, ['X-Client-Certificate', 'a', 'Client-Cert-Chain', 'a'], 'other_form'],
  [NGINX, ['X-Client-Certificate-Der', 'a'], 'other_form'],
  [OWN_NAME, ['SSL-Client-Cert', 'a'], 'found a'],
  [OWN_NAME, ['X-Client-Certificate', 'a'], 'other_form'],
  [OWN_NAME, ['SSL-Client-Cert', 'a', 'ssl_client_cert', 'a'], 'other_form'],
  [DER, ['X-Client-Certificate-Der', 'a'], 'found a'],
  [DER, ['X-Client-Certificate', 'a'], 'other_form'],
  [ENVOY, ['x-forwarded-client-cert', 'Cert=a'], 'found Cert=a'],
  [ENVOY, ['x-forwarded-client-cert', 'Cert=a', 'x_forwarded_client_cert', ''], 'other_form'],
  [TLS, ['Host', 'x'], 'none'],
  [TLS, ['Client-Cert', ':a:'], 'other_form'],
  [TLS, ['x-client_certificate', 'a'], 'other_form'],
];

test.for(CASES)('with %o the headers %o are: %s', ([rule, headers, verdict]) => {
  expect(verdictOf(rule, headers)).toBe(verdict);
});

/** Names of certificate headers in any form and spelling, and others. */
const name = fc
  .tuple(
    fc.constantFrom(
      'Client-Cert',
      'Client-Cert-Chain',
      'X-Client-Certificate',
      'X-Client-Certificate-Der',
      'X-Forwarded-Client-Cert',
      'Host',
      'X-Other',
    ),
    fc.constantFrom('-', '_', '.'),
    fc.boolean(),
  )
  .map(([plain, mark, isUpper]) => {
    const spelled = plain.replaceAll('-', mark);
    return isUpper ? spelled.toUpperCase() : spelled;
  });
const headerSet = fc
  .array(fc.tuple(name, fc.constantFrom('', 'a', 'b')), { maxLength: 4 })
  .map((pairs) => pairs.flat());

/** The headers of each form, exactly. */
const EXACT: Readonly<Record<string, readonly string[]>> = {
  'client-cert': ['client-cert', 'client-cert-chain'],
  'escaped-pem': ['x-client-certificate'],
  'base64-der': ['x-client-certificate-der'],
  'x-forwarded-client-cert': ['x-forwarded-client-cert'],
  tls: [],
};

test('no set of headers gets in but one header of the form, with nothing like a certificate beside', () => {
  fc.assert(
    fc.property(fc.constantFrom(...CERTIFICATE_FORMS), headerSet, (form, headers) => {
      const names = headers.filter((_, at) => at % 2 === 0).map((one) => one.toLowerCase());
      const others = new Set(['host', 'x-other', 'x.other', 'x_other']);
      const certificates = names.filter((one) => !others.has(one));
      const [own, chain] = EXACT[form] ?? [];
      const count = (wanted: string | undefined): number =>
        certificates.filter((one) => one === wanted).length;
      const isExact =
        certificates.length === count(own) + count(chain) && count(own) === 1 && count(chain) <= 1;
      const value = headers[headers.findIndex((one) => one.toLowerCase() === own) + 1];
      const found = new CertificateHeader({ form }).find(headers);
      const isTaken = form === 'tls' ? certificates.length === 0 : isExact && value !== '';
      expect(found.kind !== 'refused').toBe(isTaken);
      expect(anyCertificateHeader(headers) !== undefined).toBe(certificates.length > 0);
    }),
  );
});
