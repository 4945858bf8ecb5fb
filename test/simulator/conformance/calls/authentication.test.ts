import { createHash, createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { textOf } from '../../call.ts';
import type { Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { TEXT } from '../matchers.ts';
import type { RowId } from '../rows.ts';
import { logIn, logInAtProvider, mailedCode, newUser } from '../session-tokens.ts';
import { ALL_PERMISSIONS, newKeyPair } from '../../client-keys.ts';
import { setStage } from '../stage.ts';

const stage = setStage('authentication');

const EMAIL = 'ada@example.com';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const withToken = (token: string, path = '/networks') => stage.anyone('GET', path, { token });

/** The result of a call with this token. */
const outcomeOf = async (token: string): Promise<string> => refusalOf(await withToken(token));
const REFUSED = '401 AU-1 GET /api/v1/networks';

test(
  'an API client is created with a public key, and its self-signed JWTs are let in',
  covers(
    'authentication/mode/api',
    'authentication/jwt/step-1',
    'authentication/jwt/step-2',
    'authentication/jwt/step-3',
    'authentication/jwt/step-4',
  ),
  async () => {
    const { publicKeyPem } = stage.keys;
    const request = { name: 'job', type: 'api', permissions: [], publicKeyPem };
    const created = await stage.sim('POST', '/sim/clients', request);
    const clientId = textOf(created, 'clientId');
    // The service receives the public half only.
    expect(publicKeyPem).toContain('BEGIN PUBLIC KEY');
    expect((await withToken(await stage.token(clientId))).status).toBe(200);
    const keyless = await stage.sim('POST', '/sim/clients', {
      name: 'keyless',
      type: 'api',
      permissions: [],
    });
    expect(await outcomeOf(await stage.token(textOf(keyless, 'clientId')))).toBe(REFUSED);
  },
);

test('a user too may sign JWTs of its own', covers('authentication/mode/user/jwt'), async () => {
  const user = await stage.client(ALL_PERMISSIONS, { type: 'user', email: EMAIL });
  expect((await user.call('GET', '/networks')).status).toBe(200);
});

const WRONG: [row: RowId, what: string, changes: () => Json][] = [
  ['authentication/jwt/typ', 'no typ', () => ({ header: { typ: undefined } })],
  ['authentication/jwt/typ', 'another typ', () => ({ header: { typ: 'at+jwt' } })],
  ['authentication/jwt/alg', 'PS256', () => ({ header: { alg: 'PS256' } })],
  ['authentication/jwt/alg', 'RS512', () => ({ header: { alg: 'RS512' } })],
  ['authentication/jwt/kid', 'no kid', () => ({ header: { kid: undefined } })],
  ['authentication/jwt/kid', 'another kid', () => ({ header: { kid: '00'.repeat(32) } })],
  [
    'authentication/jwt/kid',
    'kid in upper case',
    () => ({ header: { kid: stage.keys.kid.toUpperCase() } }),
  ],
  ['authentication/jwt/sub', 'no sub', () => ({ payload: { sub: undefined } })],
  ['authentication/jwt/sub', 'another sub', () => ({ payload: { sub: 'me' } })],
  ['authentication/jwt/iss', 'no iss', () => ({ payload: { iss: undefined } })],
  ['authentication/jwt/iss', 'an unknown iss', () => ({ payload: { iss: 'nobody' } })],
  ['authentication/jwt/exp', 'no exp', () => ({ payload: { exp: undefined } })],
  ['authentication/jwt/exp', 'an exp in the past', () => ({ payload: { exp: 1_700_000_000 } })],
  ['authentication/jwt/exp', 'an exp as text', () => ({ payload: { exp: '2840140800' } })],
  ['authentication/jwt/exp', 'an exp below zero', () => ({ payload: { exp: -1 } })],
  ['authentication/jwt/exp', 'an nbf in the future', () => ({ payload: { nbf: 2_840_140_000 } })],
];

for (const [row, what, changes] of WRONG) {
  test(`a JWT with ${what} is refused`, covers(row), async () => {
    const { clientId } = await stage.client();
    expect(await outcomeOf(await stage.token(clientId, changes()))).toBe(REFUSED);
  });
}

test('a JWT signed by another key, unsigned, or signed with the public key as a secret', async () => {
  const { clientId, token } = await stage.client();
  const [header = '', payload = ''] = token.split('.');
  const unsigned = Buffer.from(JSON.stringify({ typ: 'JWT', alg: 'none', kid: stage.keys.kid }));
  expect(await outcomeOf(`${unsigned.toString('base64url')}.${payload}.`)).toBe(REFUSED);
  expect(await outcomeOf(`${header}.${payload}.${'A'.repeat(342)}`)).toBe(REFUSED);
  expect(await outcomeOf(`${token.slice(0, -8)}AAAAAAAA`)).toBe(REFUSED);
  const { privateKey } = newKeyPair();
  const { kid } = stage.keys;
  const forged = await new SignJWT({ iss: clientId, sub: kid, exp: 2_840_140_800 })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid })
    .sign(privateKey);
  expect(await outcomeOf(forged)).toBe(REFUSED);
  const secret = Buffer.from(stage.keys.publicKeyPem);
  const confused = await new SignJWT({ iss: clientId, sub: kid, exp: 2_840_140_800 })
    .setProtectedHeader({ typ: 'JWT', alg: 'HS256', kid })
    .sign(secret);
  expect(await outcomeOf(confused)).toBe(REFUSED);
});

test('a key opens only the client that it is attached to', async () => {
  const { clientId } = await stage.client();
  const other = newKeyPair();
  const request = { name: 'other', type: 'api', permissions: [] };
  const made = await stage.sim('POST', '/sim/clients', {
    ...request,
    publicKeyPem: other.publicKeyPem,
  });
  const sign = (iss: string): Promise<string> =>
    new SignJWT({ iss, sub: other.kid, exp: 2_840_140_800 })
      .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: other.kid })
      .sign(other.privateKey);
  expect((await withToken(await sign(textOf(made, 'clientId')))).status).toBe(200);
  expect(await outcomeOf(await sign(clientId))).toBe(REFUSED);
});

test(
  'kid is the hex SHA-256 of the key in DER, and sub is the same',
  covers('authentication/jwt/kid', 'authentication/jwt/sub'),
  async () => {
    const der = createPublicKey(stage.keys.publicKeyPem).export({ type: 'spki', format: 'der' });
    const kid = createHash('sha256').update(der).digest('hex');
    const { clientId } = await stage.client();
    const token = await stage.token(clientId, { header: { kid }, payload: { sub: kid } });
    expect((await withToken(token)).status).toBe(200);
  },
);

test(
  'the client sets the lifetime by exp, in seconds',
  covers('authentication/jwt/exp'),
  async () => {
    const { clientId } = await stage.client();
    const exp = (await stage.now()) / 1000 + 600;
    const token = await stage.token(clientId, { payload: { exp } });
    await stage.advance(10 * MINUTE_MS - 1);
    expect((await withToken(token)).status).toBe(200);
    await stage.advance(1);
    expect(await outcomeOf(token)).toBe(REFUSED);
  },
);

test(
  'a token carries the permissions of its client',
  covers('authentication/jwt/permissions'),
  async () => {
    const { vaultId } = await stage.vault();
    const path = `/subscriptions/${vaultId}`;
    const reader = await stage.client(['Vault:read']);
    const nobody = await stage.client([]);
    expect((await reader.call('GET', path)).status).toBe(200);
    expect(refusalOf(await nobody.call('GET', path))).toBe(`403 AU-1 GET /api/v1${path}`);
  },
);

test(
  'a login code is mailed and exchanged for the two tokens',
  covers(
    'authentication/mode/user/login-code',
    'authentication/session/step-1',
    'authentication/session/step-2',
  ),
  async () => {
    const clientId = await newUser(stage, EMAIL);
    const asked = await stage.anyone('POST', '/auth/login-code/request', {
      body: { email: EMAIL },
    });
    expect(asked.status).toBe(200);
    const body = { email: EMAIL, code: await mailedCode(stage, EMAIL) };
    const verified = await stage.anyone('POST', '/auth/login-code/verify', { body });
    expect(verified.body).toEqual({
      accessToken: TEXT,
      refreshToken: TEXT,
    });
    const token = textOf(verified.body, 'accessToken');
    expect((await withToken(token)).status).toBe(200);
    expect((await withToken(token, '/auth/session')).body).toMatchObject({ clientId });
  },
);

test(
  'the identity provider sends its user back to the callback, which answers the tokens',
  covers('authentication/mode/user/identity-provider', 'authentication/session/step-3'),
  async () => {
    const clientId = await newUser(stage, EMAIL);
    const page = await logInAtProvider(stage, EMAIL);
    expect(new URL(page.last).pathname).toMatch(/^\/api\/v1\/auth\/[^/]+-callback$/);
    expect(page.status).toBe(200);
    const tokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
    const { accessToken, refreshToken } = tokens.parse(JSON.parse(page.text));
    expect((await withToken(accessToken, '/auth/session')).body).toMatchObject({ clientId });
    const renewed = await stage.anyone('POST', '/auth/refresh', { token: refreshToken });
    expect(renewed.status).toBe(200);
    expect((await page.replay()).status).toBe(401);
  },
);

test(
  'refresh, revoke, revoke-all, session and logout have their effects',
  covers('authentication/session/step-4'),
  async () => {
    const clientId = await newUser(stage, EMAIL);
    const post = (path: string, token: string) => stage.anyone('POST', path, { token });
    const refreshes = async (token: string) => (await post('/auth/refresh', token)).status;
    const [first, second, third] = [
      await logIn(stage, EMAIL),
      await logIn(stage, EMAIL),
      await logIn(stage, EMAIL),
    ];
    const renewed = textOf((await post('/auth/refresh', first.refreshToken)).body, 'accessToken');
    expect(renewed).not.toBe(first.accessToken);
    expect((await withToken(renewed, '/auth/session')).body).toMatchObject({ clientId });

    expect((await post('/auth/revoke', first.refreshToken)).status).toBe(200);
    expect(await refreshes(first.refreshToken)).toBe(401);
    expect(await refreshes(second.refreshToken)).toBe(200);

    expect((await post('/auth/logout', second.accessToken)).status).toBe(200);
    expect(await refreshes(second.refreshToken)).toBe(401);
    expect(await refreshes(third.refreshToken)).toBe(200);

    const fourth = await logIn(stage, EMAIL);
    expect((await post('/auth/revoke-all', third.accessToken)).status).toBe(200);
    expect([await refreshes(third.refreshToken), await refreshes(fourth.refreshToken)]).toEqual([
      401, 401,
    ]);
  },
);

test(
  'missing, failed or wrong kinds of credentials are 401 AU-1',
  covers('authentication/session/step-5'),
  async () => {
    await newUser(stage, EMAIL);
    const { accessToken, refreshToken } = await logIn(stage, EMAIL);
    const { token: jwt } = await stage.client();
    const wrong: [string, string, (string | undefined)[]][] = [
      ['GET', '/networks', [undefined, refreshToken, 'access_junk']],
      ['POST', '/auth/refresh', [undefined, accessToken, jwt, 'refresh_junk']],
      ['POST', '/auth/revoke', [undefined, accessToken, jwt]],
      ['POST', '/auth/revoke-all', [undefined, refreshToken, jwt]],
      ['GET', '/auth/session', [undefined, refreshToken, jwt]],
      ['POST', '/auth/logout', [undefined, refreshToken, jwt]],
    ];
    for (const [method, path, tokens] of wrong) {
      for (const token of tokens) {
        const answer = await stage.anyone(method, path, { token });
        expect(refusalOf(answer)).toBe(`401 AU-1 ${method} /api/v1${path}`);
      }
    }
    const body = { email: EMAIL, code: '000000' };
    const answer = await stage.anyone('POST', '/auth/login-code/verify', { body });
    expect(refusalOf(answer)).toBe('401 AU-1 POST /api/v1/auth/login-code/verify');
  },
);

test(
  'a code lives ten minutes, once, for five tries; access fifteen minutes; refresh thirty days',
  covers('authentication/session/step-6'),
  async () => {
    await newUser(stage, EMAIL);
    const verify = async (code: string) =>
      (await stage.anyone('POST', '/auth/login-code/verify', { body: { email: EMAIL, code } }))
        .status;
    const request = async () => {
      await stage.anyone('POST', '/auth/login-code/request', { body: { email: EMAIL } });
      return mailedCode(stage, EMAIL);
    };
    const used = await request();
    expect(used).toMatch(/^\d{6}$/);
    expect([await verify(used), await verify(used)]).toEqual([200, 401]);
    const late = await request();
    await stage.advance(10 * MINUTE_MS);
    expect(await verify(late)).toBe(401);
    const guessed = await request();
    const wrong = guessed === '111111' ? '222222' : '111111';
    for (let count = 0; count < 5; count += 1) expect(await verify(wrong)).toBe(401);
    expect(await verify(guessed)).toBe(401);
    const superseded = await request();
    const newest = await request();
    // With a probability of one in a million both are the same six digits.
    expect(superseded === newest || (await verify(superseded)) === 401).toBe(true);
    expect(await verify(newest)).toBe(200);

    const { accessToken, refreshToken } = await logIn(stage, EMAIL);
    await stage.advance(15 * MINUTE_MS - 1);
    expect((await withToken(accessToken)).status).toBe(200);
    await stage.advance(1);
    expect(await outcomeOf(accessToken)).toBe(REFUSED);
    const refresh = () => stage.anyone('POST', '/auth/refresh', { token: refreshToken });
    await stage.advance(30 * DAY_MS - 15 * MINUTE_MS - 1);
    expect((await refresh()).status).toBe(200);
    await stage.advance(1);
    expect((await refresh()).status).toBe(401);
  },
);

test(
  'a client that manages vaults attaches a public key through the API',
  covers('authentication/session/step-7', 'authentication/jwt/step-3'),
  async () => {
    const request = { name: 'later', type: 'api', permissions: [] };
    const { clientId } = await stage.sim('POST', '/sim/clients', request);
    const token = await stage.token(String(clientId));
    expect(await outcomeOf(token)).toBe(REFUSED);
    const path = `/api-clients/${String(clientId)}/public-keys`;
    const { publicKeyPem, kid } = stage.keys;
    const manager = await stage.client();
    expect((await manager.call('POST', path, { publicKeyPem })).status).toBe(201);
    expect((await manager.call('POST', path, { publicKeyPem })).status).toBe(200);
    expect((await withToken(token)).status).toBe(200);
    const listed = await manager.call('GET', `/api-clients?filter[clientId]=${String(clientId)}`);
    expect(listed.rows).toMatchObject([{ clientId, publicKeys: [{ kid }] }]);
    const nobody = await stage.client([]);
    const refused = await nobody.call('POST', path, { publicKeyPem });
    expect(refusalOf(refused)).toBe(`403 AU-1 POST /api/v1${path}`);
  },
);
