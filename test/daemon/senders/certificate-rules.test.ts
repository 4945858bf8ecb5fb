import { createHash, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  chainsTo,
  refusalByRules,
  refusalByTime,
  type CertificateRefusal,
} from '../../../src/daemon/senders/certificate-rules.ts';
import {
  readCertificate,
  type SenderCertificate,
} from '../../../src/daemon/senders/sender-certificate.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { derOf } from '../../tls/header-values.ts';

type Name = keyof typeof CERTIFICATES;

function certificate(name: Name): SenderCertificate {
  const read = readCertificate(derOf(CERTIFICATES[name].cert));
  if (read === null) throw new Error(`${name} cannot be read`);
  return read;
}

const x509 = (name: Name): X509Certificate => new X509Certificate(CERTIFICATES[name].cert);

const [PIN, KEY_PIN] = certificate('valid').pins;

interface Given {
  readonly pins?: readonly string[];
  readonly issuers?: readonly Name[];
  readonly names?: readonly string[];
}

function refusal(name: Name, { pins = [PIN], issuers, names }: Given): CertificateRefusal | null {
  const rules = {
    pins: new Set(pins),
    issuers: issuers === undefined ? null : issuers.map(x509),
    names: names === undefined ? null : new Set(names),
  };
  // An untrusted certificate is refused for its usage or issuer, before any other rule.
  expect(refusalByRules(certificate(name), rules, false)).toMatch(/^wrong_(usage|issuer)$/);
  return refusalByRules(certificate(name), rules, true);
}

const URI = 'https://custody.example/webhooks';

const CASES: readonly (readonly [Name, Given, CertificateRefusal | null])[] = [
  ['valid', {}, null],
  ['valid', { pins: [KEY_PIN] }, null],
  ['valid', { pins: [certificate('renewed').pins[0], PIN] }, null],
  ['valid', { issuers: ['authority'] }, null],
  ['valid', { issuers: ['otherAuthority', 'authority'] }, null],
  ['valid', { names: ['custody.example'] }, null],
  ['valid', { names: ['other.example', URI] }, null],
  ['valid', { pins: [] }, 'not_pinned'],
  ['valid', { pins: [PIN.replace('sha256', 'spki-sha256')] }, 'not_pinned'],
  ['valid', { issuers: ['otherAuthority'] }, 'wrong_issuer'],
  ['valid', { names: ['example'] }, 'wrong_name'],
  ['valid', { names: [`${URI}/`] }, 'wrong_name'],
  ['renewed', {}, 'not_pinned'],
  ['sameKey', {}, 'not_pinned'],
  ['sameKey', { pins: [KEY_PIN] }, null],
  ['notPinned', { issuers: ['authority'] }, 'not_pinned'],
  ['stranger', { issuers: ['authority'] }, 'wrong_issuer'],
  // Pinned is not enough where an authority is named.
  ['stranger', { pins: certificate('stranger').pins, issuers: ['authority'] }, 'wrong_issuer'],
  ['indirect', { pins: certificate('indirect').pins, issuers: ['authority'] }, 'wrong_issuer'],
  ['indirect', { pins: certificate('indirect').pins, issuers: ['intermediate'] }, null],
  // No authority: a certificate of a customer cannot sign others.
  ['valid', { issuers: ['valid'] }, 'wrong_issuer'],
  ['wrongUsage', { pins: certificate('wrongUsage').pins }, 'wrong_usage'],
  ['anyUsage', { pins: certificate('anyUsage').pins }, 'wrong_usage'],
  ['noUsage', { pins: certificate('noUsage').pins }, null],
  ['noUsage', { pins: certificate('noUsage').pins, names: ['custody.example'] }, null],
  // Inside a URI that Node writes with its comma escaped.
  ['noUsage', { pins: certificate('noUsage').pins, names: ['forged.example'] }, 'wrong_name'],
];

test.for(CASES)('%s under %o: %s', ([name, given, expected]) => {
  expect(refusal(name, given)).toBe(expected);
});

test('pins are those that openssl prints', () => {
  const der = derOf(CERTIFICATES.valid.cert);
  const digits = createHash('sha256').update(der).digest('hex');
  expect(PIN).toBe(`sha256:${digits}`);
  expect(certificate('sameKey').pins[1]).toBe(KEY_PIN);
});

test('alternative names are read one by one, whatever is inside them', () => {
  expect(certificate('noUsage').names).toEqual([
    'custody.example',
    'https://custody.example/a%2C, DNS:forged.example',
  ]);
  expect(certificate('valid').names).toEqual(['custody.example', URI]);
  expect(certificate('anyUsage').names).toEqual([]);
});

const at = (time: string): number => Date.parse(time);

const TIMES: readonly (readonly [Name, string, CertificateRefusal | null])[] = [
  ['valid', '2026-01-01T00:00:00Z', null],
  ['valid', '2025-12-31T23:59:59.999Z', 'not_yet_valid'],
  ['expired', '2025-12-31T23:59:59Z', null],
  ['expired', '2025-12-31T23:59:59.999Z', null],
  ['expired', '2026-01-01T00:00:00Z', 'expired'],
  ['notYetValid', '2026-01-01T00:00:00Z', 'not_yet_valid'],
  ['notYetValid', '2100-01-01T00:00:00Z', null],
];

test.for(TIMES)('%s at %s: %s', ([name, time, expected]) => {
  expect(refusalByTime(certificate(name), at(time))).toBe(expected);
});

test('bytes that are no certificate, or more than one, are not read', () => {
  const der = derOf(CERTIFICATES.valid.cert);
  expect(readCertificate(der)).not.toBeNull();
  expect(readCertificate(Buffer.concat([der, Buffer.from([0])]))).toBeNull();
  expect(readCertificate(der.subarray(0, -1))).toBeNull();
  expect(readCertificate(Buffer.from(CERTIFICATES.valid.cert))).toBeNull();
  expect(readCertificate(Buffer.alloc(0))).toBeNull();
});

test('a chain leads to an authority only over certificates that it has', () => {
  const [authority, intermediate] = [x509('authority'), x509('intermediate')];
  expect(chainsTo([authority], x509('valid'))).toBe(true);
  expect(chainsTo([intermediate], x509('indirect'))).toBe(true);
  // Parsed alone, a certificate has no chain.
  expect(chainsTo([authority], x509('indirect'))).toBe(false);
  expect(chainsTo([authority], x509('stranger'))).toBe(false);
  expect(chainsTo([], x509('valid'))).toBe(false);
});
