import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseConfig, WHOLE } from '../../../src/ops/config/config.ts';
import { fileChecks } from '../../../src/ops/config/reading/named-file.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'client-certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(path.join(folder, 'tls.crt'), CERTIFICATES.server.cert);
writeFileSync(path.join(folder, 'tls.key'), CERTIFICATES.server.key);
writeFileSync(path.join(folder, 'ca.pem'), CERTIFICATES.authority.cert);
writeFileSync(
  path.join(folder, 'broken.pem'),
  CERTIFICATES.authority.cert + CERTIFICATES.authority.cert.replace('MII', 'AAA'),
);

const PIN = `sha256:${'0123456789abcdef'.repeat(4)}`;
const TLS = { certFile: 'tls.crt', keyFile: 'tls.key' };

function problemsOf(part: {
  listen?: object;
  admin?: object;
  clientCertificate?: object;
}): string[] {
  const { clientCertificate, ...others } = part;
  const intake = {
    pathTokens: ['a'.repeat(32)],
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
  };
  const parsed = parseConfig(
    { store: 'sqlite:x', crediting: { default: { confirmations: 6 } }, intake, ...others },
    { part: WHOLE, folder, checks: fileChecks(() => null) },
  );
  return parsed.kind === 'ok' ? [] : parsed.problems.map(({ where, what }) => `${where}: ${what}`);
}

const RULE = 'intake.clientCertificate';

test('the former shape is refused with what to write instead', () => {
  const clientCertificate = { header: 'x-client-fingerprint', allow: ['b1946ac9'] };
  expect(problemsOf({ clientCertificate })).toContain(
    `${RULE}: the key "allow" is no longer taken: SHA-1 fingerprints can be forged. Write "form" (what your proxy sends; "escaped-pem" for nginx) and "pins": ["sha256:DIGITS"]; \`openssl x509 -in client.pem -outform der | sha256sum\` prints the digits`,
  );
});

const TAKEN: readonly (readonly [string, Parameters<typeof problemsOf>[0]])[] = [
  ['a form and a pin', { clientCertificate: { form: 'client-cert', pins: [PIN] } }],
  [
    'everything',
    {
      listen: { socket: 'intake.sock', proxyProtocol: true },
      admin: { host: '127.0.0.1', port: '9000', tls: TLS },
      clientCertificate: {
        form: 'base64-der',
        header: 'X-Cert',
        from: ['unix', '10.0.0.0/8', '::1', 'fd00::/8'],
        pins: [PIN, `spki-${PIN}`],
        issuerFile: 'ca.pem',
        names: ['custody.example'],
      },
    },
  ],
  [
    'our own TLS',
    {
      listen: { tls: { ...TLS, caFile: 'ca.pem' } },
      admin: { socket: 'admin.sock' },
      clientCertificate: { form: 'tls', pins: [PIN] },
    },
  ],
];

test.for(TAKEN)('%s is taken', ([, part]) => {
  expect(problemsOf(part)).toEqual([]);
});

const pinFlaw =
  'must be "sha256:" (certificate) or "spki-sha256:" (public key) with 64 hexadecimal digits in small letters; `openssl x509 -in client.pem -outform der | sha256sum` prints those of a certificate';
const peerFlaw = 'must be "unix", an IP address, or a range of addresses, e.g. "10.0.0.0/8"';
const rule = (more: object): object => ({ form: 'client-cert', pins: [PIN], ...more });

const REFUSED: readonly (readonly [Parameters<typeof problemsOf>[0], readonly string[]])[] = [
  [
    { clientCertificate: { form: 'sha1' } },
    [
      `${RULE}.form: must be one of client-cert, escaped-pem, base64-der, x-forwarded-client-cert, tls`,
      `${RULE}.pins: is missing; it must be an array`,
    ],
  ],
  [{ clientCertificate: rule({ pins: [] }) }, [`${RULE}.pins: needs at least one pin`]],
  [
    { clientCertificate: rule({ pins: [PIN, PIN] }) },
    [`${RULE}.pins: contains the same pin twice`],
  ],
  [{ clientCertificate: rule({ pins: [PIN.slice(0, -1)] }) }, [`${RULE}.pins[0]: ${pinFlaw}`]],
  [{ clientCertificate: rule({ pins: [PIN.toUpperCase()] }) }, [`${RULE}.pins[0]: ${pinFlaw}`]],
  [
    { clientCertificate: rule({ from: ['localhost', '10.0.0.0/33', '::/129', '10.0.0.0/'] }) },
    [0, 1, 2, 3].map((at) => `${RULE}.from[${at}]: ${peerFlaw}`),
  ],
  [
    { clientCertificate: rule({ header: 'x-cert' }) },
    [`${RULE}.header: has a fixed name with the form "client-cert": leave it out`],
  ],
  [
    { clientCertificate: rule({ form: 'escaped-pem', header: 'Client-Cert' }) },
    [`${RULE}.header: is the header of another form`],
  ],
  [
    { clientCertificate: rule({ form: 'escaped-pem', header: 'x_cert' }) },
    [`${RULE}.header: must be the name of a header: letters, digits and -`],
  ],
  [
    { clientCertificate: rule({ issuerFile: 'broken.pem' }) },
    [`${RULE}.issuerFile: ${folder}/broken.pem is not a certificate in PEM`],
  ],
  [
    { clientCertificate: rule({ form: 'tls' }) },
    [`${RULE}.form: is "tls": it needs listen.tls.caFile`],
  ],
  [
    {
      listen: { tls: { ...TLS, caFile: 'ca.pem' } },
      clientCertificate: rule({ form: 'tls', from: ['::1'] }),
    },
    [`${RULE}.from: is for certificates that a proxy hands on: leave it out with "tls"`],
  ],
  [
    { clientCertificate: rule({ from: ['unix'] }) },
    [`${RULE}.from: has "unix" alone, but listen.socket is not set: set it, or name addresses`],
  ],
  [
    { listen: { socket: 'a.sock' }, clientCertificate: rule({ from: ['127.0.0.1'] }) },
    [`${RULE}.from: has no "unix", but deliveries arrive at listen.socket: add "unix"`],
  ],
  [
    { listen: { socket: 'a.sock', port: 8080 }, admin: { socket: 'b.sock', host: '::1' } },
    [
      'listen: has a socket: leave host and port out',
      'admin: has a socket: leave host and port out',
    ],
  ],
  [{ listen: { socket: 'x'.repeat(108) } }, ['listen.socket: must be a path of at most 107 bytes']],
  [
    { admin: { tls: { ...TLS, caFile: 'ca.pem' }, proxyProtocol: true } },
    [
      'admin.tls: unknown key "caFile"; the keys here are certFile, keyFile',
      'admin: unknown key "proxyProtocol"; the keys here are host, port, socket, tls',
    ],
  ],
];

test.for(REFUSED)('%j is refused with what to do', ([part, problems]) => {
  expect(problemsOf(part)).toEqual(problems);
});
