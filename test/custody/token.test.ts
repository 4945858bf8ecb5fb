import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { generateKeyPair, keyIdOf, readPrivateKey, TokenSource } from '../../src/custody/token.ts';

const pair = await generateKeyPair();
const privateKey = createPrivateKey(pair.privateKeyPem);
const publicKey = createPublicKey(pair.publicKeyPem);

test('a token carries exactly the fields of the interface and verifies with the public key', async () => {
  const now = Date.now();
  const tokens = new TokenSource({ clientId: 'client-7', privateKey, now: () => now });
  const token = await tokens.bearer();
  const { payload } = await jwtVerify(token, publicKey, { algorithms: ['RS256'] });
  expect(decodeProtectedHeader(token)).toEqual({ typ: 'JWT', alg: 'RS256', kid: pair.keyId });
  expect(payload).toEqual({
    sub: pair.keyId,
    iss: 'client-7',
    exp: Math.floor(now / 1000) + 300,
  });
});

test('the key id is the SHA-256 of the DER SubjectPublicKeyInfo in hex', () => {
  const body = pair.publicKeyPem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  const expected = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
  expect(keyIdOf(publicKey)).toBe(expected);
  expect(pair.keyId).toBe(expected);
});

test('a new pair is RSA of 2048 bits in PKCS #8 and SubjectPublicKeyInfo', () => {
  expect(pair.privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  expect(pair.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
});

test('one signature serves until a minute before its end, then a new one is made', async () => {
  let now = 1_000_000_000_000;
  const tokens = new TokenSource({ clientId: 'c', privateKey, now: () => now });
  const first = await tokens.bearer();
  now += 239_999;
  expect(await tokens.bearer()).toBe(first);
  now += 1;
  expect(await tokens.bearer()).not.toBe(first);
});

test('a clock that is set back makes a new token', async () => {
  let now = 1_000_000_000_000;
  const tokens = new TokenSource({ clientId: 'c', privateKey, now: () => now });
  const first = await tokens.bearer();
  now -= 60_000;
  expect(await tokens.bearer()).not.toBe(first);
});

test.each([
  ['no key at all', 'hello', 'not an unencrypted private key in PEM'],
  [
    'an elliptic key',
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
    'a key of type ec, RS256 needs RSA',
  ],
  [
    'a short key',
    generateKeyPairSync('rsa', { modulusLength: 1024 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
    'an RSA key of 1024 bits, RS256 needs 2048 or more',
  ],
])('%s is refused with the reason', (_name, pem, detail) => {
  expect(readPrivateKey(pem)).toEqual({ kind: 'invalid', detail });
});

test('a key that was made here can be read back', () => {
  expect(readPrivateKey(pair.privateKeyPem)).toMatchObject({ kind: 'ok', keyId: pair.keyId });
});
