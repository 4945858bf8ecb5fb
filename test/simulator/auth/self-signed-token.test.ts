import { createHash, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { ClientRegistry } from '../../../src/simulator/auth/client.ts';
import { verifySelfSignedToken } from '../../../src/simulator/auth/self-signed-token.ts';
import { State } from '../../../src/simulator/state/state.ts';

const NOW_MS = 1_767_225_600_000;
const NOW = NOW_MS / 1000;
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const kid = createHash('sha256')
  .update(keys.publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex');

let lastId = 0;
const clients = new ClientRegistry(new State({ seed: 1 }).table('clients'), () => {
  lastId += 1;
  return `client-${lastId}`;
});
clients.create({ name: 'backend', type: 'api', publicKeyPem: pem, permissions: [] });

interface TokenChange {
  header?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  key?: KeyObject;
}

async function sign(change: TokenChange = {}): Promise<string> {
  return new SignJWT({ iss: 'client-1', sub: kid, exp: NOW + 60, ...change.payload })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid, ...change.header })
    .sign(change.key ?? keys.privateKey);
}

async function verify(token: string): Promise<string> {
  const outcome = await verifySelfSignedToken(token, clients, NOW_MS);
  return outcome.kind === 'rejected' ? outcome.message : outcome.client.clientId;
}

test('a token as the specification describes it authenticates its client', async () => {
  expect(await verify(await sign())).toBe('client-1');
});

describe('is rejected:', () => {
  test.each<[string, TokenChange]>([
    ['another algorithm', { header: { alg: 'RS512' } }],
    ['another algorithm of the same key', { header: { alg: 'PS256' } }],
    ['another typ', { header: { typ: 'at+jwt' } }],
    ['no typ', { header: { typ: undefined } }],
    ['another kid', { header: { kid: 'f'.repeat(64) } }],
    ['a sub that is not the kid', { payload: { sub: 'client-1' } }],
    ['no sub', { payload: { sub: undefined } }],
    ['an unknown issuer', { payload: { iss: 'client-9' } }],
    ['no issuer', { payload: { iss: undefined } }],
    ['no exp', { payload: { exp: undefined } }],
    ['an exp that is now', { payload: { exp: NOW } }],
    ['a signature of another key', { key: otherKeys.privateKey }],
  ])('%s', async (_name, change) => {
    expect(await verify(await sign(change))).not.toBe('client-1');
  });

  test('alg none, a symmetric signature with the public key, and garbage', async () => {
    const part = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const payload = part({ iss: 'client-1', sub: kid, exp: NOW + 60 });
    expect(await verify(`${part({ typ: 'JWT', alg: 'none', kid })}.${payload}.`)).toMatch(/RS256/);
    const hmac = await new SignJWT({ iss: 'client-1', sub: kid, exp: NOW + 60 })
      .setProtectedHeader({ typ: 'JWT', alg: 'HS256', kid })
      .sign(Buffer.from(pem));
    expect(await verify(hmac)).toMatch(/RS256/);
    expect(await verify('a.b.c')).toBe('token is not valid');
    expect(await verify('...')).toBe('token is not valid');
  });
});

test('a key that is not RSA of 2048 bits or more is not attached', () => {
  const create = (publicKeyPem: string) =>
    clients.create({ name: 'x', type: 'api', publicKeyPem, permissions: [] }).kind;
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  expect(create(small.export({ type: 'spki', format: 'pem' }).toString())).toBe('invalid-key');
  expect(create(curve.export({ type: 'spki', format: 'pem' }).toString())).toBe('invalid-key');
  expect(create('hello')).toBe('invalid-key');
});
