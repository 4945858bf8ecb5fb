import { hash } from 'node:crypto';
import type { CertificateForm } from '../../ops/config/certificate-form.ts';
import { readForwardedClientCert } from './forwarded-client-cert.ts';

/** A certificate's DER bytes, or why the header's value has none. */
export type ValueRead =
  | { readonly kind: 'der'; readonly der: Buffer }
  | { readonly kind: 'refused'; readonly reason: 'malformed' | 'duplicate' };

const MALFORMED: ValueRead = { kind: 'refused', reason: 'malformed' };

/** One certificate in PEM, and nothing else. */
const PEM = /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?$/;

/** Reads a header's value in exactly the encoding of its form. */
export function readValue(form: Exclude<CertificateForm, 'tls'>, value: string): ValueRead {
  if (form === 'x-forwarded-client-cert') return fromEnvoy(value);
  // Two headers joined to one: no encoding of a certificate has a comma.
  if (value.includes(',')) return { kind: 'refused', reason: 'duplicate' };
  switch (form) {
    case 'client-cert':
      // A byte sequence (RFC 8941, 3.3.5), without parameters: RFC 9440 names none.
      return fromBase64(/^:([^:]*):$/.exec(value)?.[1]);
    case 'base64-der':
      return fromBase64(value);
    case 'escaped-pem':
      return fromEscapedPem(value);
    default:
      return form satisfies never;
  }
}

/** Canonical Base64 only: one certificate has one spelling. */
function fromBase64(text: string | undefined): ValueRead {
  if (text === undefined || text === '') return MALFORMED;
  const der = Buffer.from(text, 'base64');
  return der.toString('base64') === text ? { kind: 'der', der } : MALFORMED;
}

function fromEscapedPem(value: string): ValueRead {
  let pem: string;
  try {
    pem = decodeURIComponent(value);
  } catch {
    return MALFORMED;
  }
  return fromBase64(PEM.exec(pem.replaceAll('\r\n', '\n'))?.[1]?.replaceAll('\n', ''));
}

function fromEnvoy(value: string): ValueRead {
  const read = readForwardedClientCert(value);
  if (read.kind === 'refused') return read;
  const certificate = fromEscapedPem(read.cert);
  if (certificate.kind === 'refused' || read.hash === null) return certificate;
  return hash('sha256', certificate.der) === read.hash ? certificate : MALFORMED;
}
