import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ACCESS_TOKEN_MS, REFRESH_TOKEN_MS } from '../../../src/simulator/auth/session.ts';
import { KEYS, tokenFor } from '../client-keys.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const CALLS = {
  refresh: ['POST', '/auth/refresh'],
  revoke: ['POST', '/auth/revoke'],
  'revoke-all': ['POST', '/auth/revoke-all'],
  session: ['GET', '/auth/session'],
  logout: ['POST', '/auth/logout'],
  vaults: ['GET', '/vaults'],
} as const;
type Call = keyof typeof CALLS;

let caller: Caller;
let snapshotId: unknown;
let jwt: string;
/** Two sessions of Ana and one of Ben, new for every row. */
let first: Tokens;
let second: Tokens;
let bens: Tokens;

beforeAll(async () => {
  caller = await startCaller();
  for (const email of ['ana@example.com', 'ben@example.com']) {
    const { publicKeyPem } = KEYS;
    const user = { name: email, type: 'user', email, publicKeyPem, permissions: ['Vault:read'] };
    const { clientId } = await caller.sim('POST', '/sim/clients', user);
    if (email.startsWith('ana')) jwt = await tokenFor(String(clientId));
  }
  ({ snapshotId } = await caller.sim('POST', '/sim/snapshot'));
});
afterAll(() => caller.stop());

beforeEach(async () => {
  await caller.sim('POST', '/sim/restore', { snapshotId });
  first = await logIn('ana@example.com');
  second = await logIn('ana@example.com');
  bens = await logIn('ben@example.com');
});

async function logIn(email: string): Promise<Tokens> {
  const none = { token: null };
  await caller.api('POST', '/auth/login-code/request', { email }, none);
  const { data } = await caller.sim('GET', `/sim/mailbox?email=${email}`);
  const code = (data as { code: string }[]).at(-1)?.code;
  const answer = await caller.api('POST', '/auth/login-code/verify', { email, code }, none);
  return answer.body as unknown as Tokens;
}

const send = (call: Call, token: string | null) => {
  const [method, path] = CALLS[call];
  return caller.api(method, path, undefined, { token });
};

/** Which of the three sessions can still be refreshed, in the order Ana's, Ana's, Ben's. */
async function alive(): Promise<string> {
  const sessions = { A1: first, A2: second, B: bens };
  let names = '';
  for (const [name, { refreshToken }] of Object.entries(sessions)) {
    if ((await send('refresh', refreshToken)).status === 200) names += `${name} `;
  }
  return names.trim();
}

const BEARERS: Record<string, () => Promise<string | null>> = {
  'no token': async () => null,
  'a self-signed JWT': async () => jwt,
  'an access token': async () => first.accessToken,
  'a refresh token': async () => first.refreshToken,
  'an expired access token': async () => {
    await caller.advance(ACCESS_TOKEN_MS);
    return first.accessToken;
  },
  'an expired refresh token': async () => {
    await caller.advance(REFRESH_TOKEN_MS);
    return first.refreshToken;
  },
  'an access token after revoke': async () => {
    await send('revoke', first.refreshToken);
    return first.accessToken;
  },
  'an access token after logout': async () => {
    await send('logout', first.accessToken);
    return first.accessToken;
  },
  'a revoked refresh token': async () => {
    await send('revoke', first.refreshToken);
    return first.refreshToken;
  },
  'a refresh token after logout': async () => {
    await send('logout', first.accessToken);
    return first.refreshToken;
  },
  'a refresh token after revoke-all': async () => {
    await send('revoke-all', second.accessToken);
    return first.refreshToken;
  },
  "another client's access token": async () => bens.accessToken,
  "another client's refresh token": async () => bens.refreshToken,
  'a made-up token': async () => `access_${'A'.repeat(43)}`,
};

// The answer of each call, and the refresh tokens that still work after it.
test.each<[string, Call, number, string]>([
  ['no token', 'refresh', 401, 'A1 A2 B'],
  ['no token', 'revoke', 401, 'A1 A2 B'],
  ['no token', 'revoke-all', 401, 'A1 A2 B'],
  ['no token', 'session', 401, 'A1 A2 B'],
  ['no token', 'logout', 401, 'A1 A2 B'],
  ['no token', 'vaults', 401, 'A1 A2 B'],

  ['a self-signed JWT', 'refresh', 401, 'A1 A2 B'],
  ['a self-signed JWT', 'revoke', 401, 'A1 A2 B'],
  ['a self-signed JWT', 'revoke-all', 401, 'A1 A2 B'],
  ['a self-signed JWT', 'session', 401, 'A1 A2 B'],
  ['a self-signed JWT', 'logout', 401, 'A1 A2 B'],
  ['a self-signed JWT', 'vaults', 200, 'A1 A2 B'],

  ['an access token', 'refresh', 401, 'A1 A2 B'],
  ['an access token', 'revoke', 401, 'A1 A2 B'],
  ['an access token', 'revoke-all', 200, 'B'],
  ['an access token', 'session', 200, 'A1 A2 B'],
  ['an access token', 'logout', 200, 'A2 B'],
  ['an access token', 'vaults', 200, 'A1 A2 B'],

  ['a refresh token', 'refresh', 200, 'A1 A2 B'],
  ['a refresh token', 'revoke', 200, 'A2 B'],
  ['a refresh token', 'revoke-all', 401, 'A1 A2 B'],
  ['a refresh token', 'session', 401, 'A1 A2 B'],
  ['a refresh token', 'logout', 401, 'A1 A2 B'],
  ['a refresh token', 'vaults', 401, 'A1 A2 B'],

  ['an expired access token', 'refresh', 401, 'A1 A2 B'],
  ['an expired access token', 'revoke', 401, 'A1 A2 B'],
  ['an expired access token', 'revoke-all', 401, 'A1 A2 B'],
  ['an expired access token', 'session', 401, 'A1 A2 B'],
  ['an expired access token', 'logout', 401, 'A1 A2 B'],
  ['an expired access token', 'vaults', 401, 'A1 A2 B'],

  ['an expired refresh token', 'refresh', 401, ''],
  ['an expired refresh token', 'revoke', 401, ''],
  ['an expired refresh token', 'revoke-all', 401, ''],
  ['an expired refresh token', 'session', 401, ''],
  ['an expired refresh token', 'logout', 401, ''],
  ['an expired refresh token', 'vaults', 401, ''],

  // Revoking ends the refresh token only. The access token stays valid until it expires.
  ['an access token after revoke', 'refresh', 401, 'A2 B'],
  ['an access token after revoke', 'revoke', 401, 'A2 B'],
  ['an access token after revoke', 'revoke-all', 200, 'B'],
  ['an access token after revoke', 'session', 200, 'A2 B'],
  ['an access token after revoke', 'logout', 200, 'A2 B'],
  ['an access token after revoke', 'vaults', 200, 'A2 B'],
  ['an access token after logout', 'refresh', 401, 'A2 B'],
  ['an access token after logout', 'revoke', 401, 'A2 B'],
  ['an access token after logout', 'revoke-all', 200, 'B'],
  ['an access token after logout', 'session', 200, 'A2 B'],
  ['an access token after logout', 'logout', 200, 'A2 B'],
  ['an access token after logout', 'vaults', 200, 'A2 B'],

  ['a revoked refresh token', 'refresh', 401, 'A2 B'],
  ['a revoked refresh token', 'revoke', 401, 'A2 B'],
  ['a revoked refresh token', 'revoke-all', 401, 'A2 B'],
  ['a revoked refresh token', 'session', 401, 'A2 B'],
  ['a revoked refresh token', 'logout', 401, 'A2 B'],
  ['a revoked refresh token', 'vaults', 401, 'A2 B'],
  ['a refresh token after logout', 'refresh', 401, 'A2 B'],
  ['a refresh token after logout', 'revoke', 401, 'A2 B'],
  ['a refresh token after logout', 'revoke-all', 401, 'A2 B'],
  ['a refresh token after logout', 'session', 401, 'A2 B'],
  ['a refresh token after logout', 'logout', 401, 'A2 B'],
  ['a refresh token after logout', 'vaults', 401, 'A2 B'],
  ['a refresh token after revoke-all', 'refresh', 401, 'B'],
  ['a refresh token after revoke-all', 'revoke', 401, 'B'],
  ['a refresh token after revoke-all', 'revoke-all', 401, 'B'],
  ['a refresh token after revoke-all', 'session', 401, 'B'],
  ['a refresh token after revoke-all', 'logout', 401, 'B'],
  ['a refresh token after revoke-all', 'vaults', 401, 'B'],

  ["another client's access token", 'refresh', 401, 'A1 A2 B'],
  ["another client's access token", 'revoke', 401, 'A1 A2 B'],
  ["another client's access token", 'revoke-all', 200, 'A1 A2'],
  ["another client's access token", 'session', 200, 'A1 A2 B'],
  ["another client's access token", 'logout', 200, 'A1 A2'],
  ["another client's refresh token", 'refresh', 200, 'A1 A2 B'],
  ["another client's refresh token", 'revoke', 200, 'A1 A2'],
  ["another client's refresh token", 'revoke-all', 401, 'A1 A2 B'],
  ["another client's refresh token", 'session', 401, 'A1 A2 B'],
  ["another client's refresh token", 'logout', 401, 'A1 A2 B'],

  ['a made-up token', 'refresh', 401, 'A1 A2 B'],
  ['a made-up token', 'revoke', 401, 'A1 A2 B'],
  ['a made-up token', 'revoke-all', 401, 'A1 A2 B'],
  ['a made-up token', 'session', 401, 'A1 A2 B'],
  ['a made-up token', 'logout', 401, 'A1 A2 B'],
])('%s at %s is %i and leaves %s', async (bearer, call, status, left) => {
  const token = await BEARERS[bearer]?.();
  const answer = await send(call, token ?? null);
  expect(answer.status).toBe(status);
  expect(answer.body['errorCode']).toBe(status === 401 ? 'AU-1' : undefined);
  expect(await alive()).toBe(left);
});

test('a refresh token works to the last millisecond', async () => {
  await caller.advance(REFRESH_TOKEN_MS - 1);
  expect(await alive()).toBe('A1 A2 B');
  await caller.advance(1);
  expect(await alive()).toBe('');
});

test('a session shows its own client, and whether it is revoked', async () => {
  const bodies = [
    await send('session', first.accessToken),
    await send('session', bens.accessToken),
  ];
  expect(bodies.map(({ body }) => [body['email'], body['revoked']])).toEqual([
    ['ana@example.com', false],
    ['ben@example.com', false],
  ]);
  await send('revoke', first.refreshToken);
  expect((await send('session', first.accessToken)).body['revoked']).toBe(true);
});
