import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readValue } from '../../../src/daemon/senders/certificate-value.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { base64Der, clientCert, derOf, envoyCert, escapedPem } from '../../tls/header-values.ts';

type Form = Parameters<typeof readValue>[0];

const { cert } = CERTIFICATES.valid;
const PADDED = Object.values(CERTIFICATES)
  .map((one) => one.cert)
  .find((one) => base64Der(one).endsWith('='));
const HASH = createHash('sha256').update(derOf(cert)).digest('hex');

/** The examples of Envoy's documentation, each with the certificate that its option adds. */
const ENVOY_BY = 'By=http://frontend.lyft.com';
const ENVOY_SUBJECT = 'Subject="/C=US/ST=CA/L=San Francisco/OU=Lyft/CN=Test Client"';
const ENVOY_URI = 'URI=http://testclient.lyft.com';
const ENVOY_HASH = 'Hash=468ed33be74eee6556d90c0149c1309e9ba61d6425303443c0748a02dd8de688';

const TAKEN: readonly (readonly [Form, string, string])[] = [
  ['client-cert', clientCert(cert), 'RFC 9440'],
  ['base64-der', base64Der(cert), 'Base64 of the DER'],
  ['escaped-pem', escapedPem(cert), 'nginx'],
  ['escaped-pem', escapedPem(cert.trimEnd()), 'no line end after it'],
  ['escaped-pem', escapedPem(cert).replaceAll('%2F', '/').replaceAll('%3D', '='), 'less escaped'],
  ['escaped-pem', escapedPem(cert.replaceAll('\n', '\r\n')), 'lines of another system'],
  ['x-forwarded-client-cert', `Cert=${envoyCert(cert)}`, 'Envoy, Cert alone'],
  [
    'x-forwarded-client-cert',
    `${ENVOY_BY};Hash=${HASH};Cert=${envoyCert(cert)};${ENVOY_SUBJECT};${ENVOY_URI}`,
    'Envoy, with one URI',
  ],
  [
    'x-forwarded-client-cert',
    `${ENVOY_BY};Hash=${HASH};Cert=${envoyCert(cert)};Chain=${envoyCert(cert)};${ENVOY_SUBJECT};${ENVOY_URI};DNS=lyft.com;DNS=www.lyft.com`,
    'Envoy, with two DNS names and the chain',
  ],
  [
    'x-forwarded-client-cert',
    `by=a;HASH=${HASH.toUpperCase()};cert=${envoyCert(cert)};subject="CN=\\"a\\", O=b;c"`,
    'Envoy, keys in any case and quotes in quotes',
  ],
];

test.for(TAKEN)('%s is taken: %3$s', ([form, value]) => {
  expect(readValue(form, value)).toEqual({ kind: 'der', der: derOf(cert) });
});

const base64 = base64Der(cert);

const REFUSED: readonly (readonly [Form, string, 'malformed' | 'duplicate', string])[] = [
  ['client-cert', base64, 'malformed', 'no colons'],
  ['client-cert', `:${base64}`, 'malformed', 'one colon'],
  ['client-cert', '::', 'malformed', 'nothing between the colons'],
  ['client-cert', `:${base64}:;a=1`, 'malformed', 'a parameter'],
  ['client-cert', `:${base64}:, :${base64}:`, 'duplicate', 'two in one header'],
  ['client-cert', `:${base64} :`, 'malformed', 'a space'],
  ['client-cert', `:${base64.replaceAll('+', '-')}_:`, 'malformed', 'Base64 of URLs'],
  ['client-cert', escapedPem(cert), 'malformed', 'another form'],
  ['base64-der', `${base64}=`, 'malformed', 'too much padding'],
  ['base64-der', `:${base64}:`, 'malformed', 'another form'],
  ['base64-der', `${base64},${base64}`, 'duplicate', 'two in one header'],
  ['escaped-pem', cert.replaceAll('\n', ' '), 'malformed', 'lines joined by spaces'],
  ['escaped-pem', escapedPem(cert + cert), 'malformed', 'two certificates'],
  ['escaped-pem', escapedPem(`a${cert}`), 'malformed', 'text before it'],
  ['escaped-pem', escapedPem(`${cert}a`), 'malformed', 'text after it'],
  ['escaped-pem', escapedPem(CERTIFICATES.valid.key), 'malformed', 'a key'],
  ['escaped-pem', `${escapedPem(cert)}%`, 'malformed', 'half an escape'],
  ['escaped-pem', `${escapedPem(cert)},${escapedPem(cert)}`, 'duplicate', 'two in one header'],
  ['escaped-pem', base64, 'malformed', 'another form'],
  [
    'x-forwarded-client-cert',
    `${ENVOY_BY};${ENVOY_HASH};${ENVOY_SUBJECT};${ENVOY_URI}`,
    'malformed',
    'the example of Envoy’s documentation, without Cert',
  ],
  [
    'x-forwarded-client-cert',
    `${ENVOY_BY};${ENVOY_HASH};${ENVOY_URI},By=http://backend.lyft.com;Hash=9ba61d6425303443c0748a02dd8de688468ed33be74eee6556d90c0149c1309e;URI=http://frontend.lyft.com`,
    'duplicate',
    'the example of Envoy’s documentation with two elements',
  ],
  [
    'x-forwarded-client-cert',
    `Cert=${envoyCert(cert)},Cert=${envoyCert(cert)}`,
    'duplicate',
    'two elements with certificates',
  ],
  [
    'x-forwarded-client-cert',
    `Cert=${envoyCert(cert)};Cert=${envoyCert(cert)}`,
    'malformed',
    'Cert twice in one element',
  ],
  [
    'x-forwarded-client-cert',
    `${ENVOY_HASH};Cert=${envoyCert(cert)}`,
    'malformed',
    'the hash of another certificate',
  ],
  ['x-forwarded-client-cert', `Cert=${envoyCert(cert)};`, 'malformed', 'a semicolon at the end'],
  ['x-forwarded-client-cert', `Cert=${envoyCert(cert)}a`, 'malformed', 'text after the quotes'],
  ['x-forwarded-client-cert', `Cert=${envoyCert(cert)};Odd=1`, 'malformed', 'an unknown key'],
  ['x-forwarded-client-cert', `Cert=${envoyCert(cert).slice(0, -1)}`, 'malformed', 'an open quote'],
  ['x-forwarded-client-cert', 'Cert=""', 'malformed', 'an empty certificate'],
];

test.for(REFUSED)('%s is refused as %3$s: %4$s', ([form, value, reason]) => {
  expect(readValue(form, value)).toEqual({ kind: 'refused', reason });
});

test('bits after the end of Base64 are refused: one certificate has one spelling', () => {
  const padded = base64Der(PADDED ?? '');
  const changed = padded.replace(/([A-Za-z0-9+/])(=+)$/, (_, last: string, end: string) => {
    const next = String.fromCodePoint((last.codePointAt(0) ?? 0) + 1);
    return `${next}${end}`;
  });
  expect(Buffer.from(changed, 'base64')).toEqual(derOf(PADDED ?? ''));
  expect(readValue('base64-der', changed)).toEqual({ kind: 'refused', reason: 'malformed' });
});

test('a value with any change reads as another certificate or as none', () => {
  const values: readonly (readonly [Form, string])[] = [
    ['client-cert', clientCert(cert)],
    ['base64-der', base64],
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...values),
      fc.nat(clientCert(cert).length),
      fc.constantFrom('', 'A', 'b', ':', '=', ' ', '%', '\n', '"'),
      ([form, value], at, put) => {
        const changed = value.slice(0, at) + put + value.slice(at + 1);
        fc.pre(changed !== value);
        expect(readValue(form, changed)).not.toEqual({ kind: 'der', der: derOf(cert) });
      },
    ),
  );
});
