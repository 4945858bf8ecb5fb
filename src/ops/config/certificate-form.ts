/** How a certificate reaches intake: in which header and encoding, or by our own TLS. */
export const CERTIFICATE_FORMS = [
  'client-cert',
  'escaped-pem',
  'base64-der',
  'x-forwarded-client-cert',
  'tls',
] as const;
export type CertificateForm = (typeof CERTIFICATE_FORMS)[number];

/** The header of each form, in small letters. */
export const HEADER_OF_FORM = {
  'client-cert': 'client-cert',
  'escaped-pem': 'x-client-certificate',
  'base64-der': 'x-client-certificate-der',
  'x-forwarded-client-cert': 'x-forwarded-client-cert',
} as const satisfies Record<Exclude<CertificateForm, 'tls'>, string>;

/** The peer of a connection over a unix socket. */
export const UNIX_PEER = 'unix';
