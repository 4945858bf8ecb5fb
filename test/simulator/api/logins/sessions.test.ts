import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCaller } from '../../core-caller.ts';
import type { Caller } from '../../core-caller.ts';

const EMAIL = 'ana@example.com';
let caller: Caller;

beforeAll(async () => {
  caller = await startCaller();
  const user = { name: 'Ana', type: 'user', email: EMAIL, permissions: ['Vault:read'] };
  await caller.sim('POST', '/sim/clients', user);
});
afterAll(() => caller.stop());

async function logIn(): Promise<{ accessToken: string; refreshToken: string }> {
  const none = { token: null };
  await caller.api('POST', '/auth/login-code/request', { email: EMAIL }, none);
  const mailbox = await caller.sim('GET', `/sim/mailbox?email=${EMAIL}`);
  const mails = mailbox['data'] as { code: string }[];
  const code = mails.at(-1)?.code;
  const verified = await caller.api(
    'POST',
    '/auth/login-code/verify',
    { email: EMAIL, code },
    none,
  );
  expect(verified.status).toBe(200);
  return verified.body as { accessToken: string; refreshToken: string };
}

const status = async (method: string, path: string, token: string): Promise<number> =>
  (await caller.api(method, path, undefined, { token })).status;

test('a mailed code opens a session whose access token calls the API for 15 minutes', async () => {
  const { accessToken, refreshToken } = await logIn();
  expect(await status('GET', '/vaults', accessToken)).toBe(200);
  const session = await caller.api('GET', '/auth/session', undefined, { token: accessToken });
  expect(session.body).toMatchObject({ type: 'user', email: EMAIL, permissions: ['Vault:read'] });
  await caller.advance(15 * 60_000 - 1);
  expect(await status('GET', '/vaults', accessToken)).toBe(200);
  await caller.advance(1);
  expect(await status('GET', '/vaults', accessToken)).toBe(401);
  const refreshed = await caller.api('POST', '/auth/refresh', undefined, { token: refreshToken });
  expect(await status('GET', '/vaults', String(refreshed.body['accessToken']))).toBe(200);
  await caller.advance(30 * 86_400_000);
  expect(await status('POST', '/auth/refresh', refreshToken)).toBe(401);
});

test('each call demands its own kind of token', async () => {
  const { accessToken, refreshToken } = await logIn();
  const jwt = caller.token;
  for (const path of ['/auth/refresh', '/auth/revoke']) {
    expect(await status('POST', path, accessToken)).toBe(401);
    expect(await status('POST', path, jwt)).toBe(401);
  }
  for (const path of ['/auth/revoke-all', '/auth/logout']) {
    expect(await status('POST', path, refreshToken)).toBe(401);
    expect(await status('POST', path, jwt)).toBe(401);
  }
  expect(await status('GET', '/auth/session', refreshToken)).toBe(401);
  expect(await status('GET', '/auth/session', jwt)).toBe(401);
  expect(await status('GET', '/vaults', refreshToken)).toBe(401);
});

test('revoke ends one refresh token, logout its session, revoke-all every one', async () => {
  const [one, two, three] = [await logIn(), await logIn(), await logIn()];
  expect(await status('POST', '/auth/revoke', one.refreshToken)).toBe(200);
  expect(await status('POST', '/auth/refresh', one.refreshToken)).toBe(401);
  expect(await status('POST', '/auth/logout', two.accessToken)).toBe(200);
  expect(await status('POST', '/auth/refresh', two.refreshToken)).toBe(401);
  expect(await status('POST', '/auth/refresh', three.refreshToken)).toBe(200);
  expect(await status('POST', '/auth/revoke-all', three.accessToken)).toBe(200);
  expect(await status('POST', '/auth/refresh', three.refreshToken)).toBe(401);
});

test('an unknown e-mail address gets the same answer and no mail', async () => {
  const email = 'nobody@example.com';
  const asked = await caller.api('POST', '/auth/login-code/request', { email }, { token: null });
  expect([asked.status, asked.body]).toEqual([200, { status: 'sent' }]);
  expect((await caller.sim('GET', `/sim/mailbox?email=${email}`))['data']).toEqual([]);
  const body = { email, code: '123456' };
  const verified = await caller.api('POST', '/auth/login-code/verify', body, { token: null });
  expect([verified.status, verified.body['errorCode']]).toEqual([401, 'AU-1']);
});
