import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PENDING_LOGIN_MS } from '../../../src/simulator/identity/pending-login.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { Browser } from './browser.ts';
import type { VisitedPage } from './browser.ts';

const CALLBACK_URL = 'http://127.0.0.1:3000/callback';
const ANA = 'ana@example.com';
let caller: Caller;
let browser: Browser;

beforeEach(async () => {
  caller = await startCaller();
  browser = new Browser();
  for (const [name, email] of [
    ['Ana', ANA],
    ['Ben', 'ben@example.com'],
  ]) {
    await caller.sim('POST', '/sim/clients', {
      name,
      type: 'user',
      email,
      permissions: ['Vault:read'],
    });
  }
});
afterEach(() => caller.stop());

function loginUrl(callbackUrl = CALLBACK_URL): string {
  return `${caller.core.url}/api/v1/auth/login?callback_url=${encodeURIComponent(callbackUrl)}`;
}

const isCallback = (url: URL): boolean => url.pathname === '/api/v1/auth/development-callback';

/** The consent screen of a fresh login. */
async function consentScreen(): Promise<VisitedPage> {
  const screen = await browser.visit(loginUrl());
  expect([screen.status, screen.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  return screen;
}

async function decide(
  screen: VisitedPage,
  form: { email: string; decision?: string },
  until?: (next: URL) => boolean,
): Promise<VisitedPage> {
  const action = /<form method="post" action="([^"]+)"/.exec(screen.text)?.[1];
  const address = new URL(action ?? '', screen.url).href;
  return browser.visit(
    address,
    { decision: 'allow', ...form },
    until === undefined ? {} : { until },
  );
}

/** The address that the provider sends the browser back to, not yet visited. */
async function answerFor(email: string): Promise<string> {
  return (await decide(await consentScreen(), { email }, isCallback)).url.href;
}

const refusalOf = ({ status, text }: VisitedPage): unknown[] => {
  const body = JSON.parse(text) as { errorCode: string; endpoint: string };
  return [status, body.errorCode, body.endpoint];
};
const REFUSED = [401, 'AU-1', 'GET /api/v1/auth/development-callback'];

const read = async (token: string): Promise<number> =>
  (await caller.api('GET', '/vaults', undefined, { token })).status;

describe('a login at the development identity provider', () => {
  test('redirects to its consent screen with PKCE, state and nonce', async () => {
    const response = await fetch(loginUrl(), { redirect: 'manual' });
    const location = new URL(response.headers.get('location') ?? '');
    expect(response.status).toBe(302);
    expect(location.hostname).toBe('127.0.0.1');
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: 'custody-core',
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: `${caller.core.url}/api/v1/auth/development-callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      state: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as unknown,
    });
    expect(response.headers.get('set-cookie')).toMatch(
      /^login_[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax$/,
    );
  });

  test('ends with tokens of the user who consented, which live by the clock of the core', async () => {
    const screen = await consentScreen();
    expect(screen.text).toContain(`<option value="${ANA}">`);
    expect(screen.text).not.toContain('<script');
    const done = await decide(screen, { email: 'ANA@example.com' });
    expect([done.status, done.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const tokens = JSON.parse(done.text) as { accessToken: string; refreshToken: string };
    expect(Object.keys(tokens)).toEqual(['accessToken', 'refreshToken']);
    const session = await caller.api('GET', '/auth/session', undefined, {
      token: tokens.accessToken,
    });
    expect(session.body).toMatchObject({ email: ANA, type: 'user', permissions: ['Vault:read'] });
    await caller.advance(15 * 60_000);
    expect(await read(tokens.accessToken)).toBe(401);
    const token = tokens.refreshToken;
    const refreshed = await caller.api('POST', '/auth/refresh', undefined, { token });
    expect(await read(String(refreshed.body['accessToken']))).toBe(200);
  });

  test('asks again each time, so one browser logs in as one user after another', async () => {
    for (const email of [ANA, 'ben@example.com', ANA]) {
      const { accessToken } = JSON.parse((await decide(await consentScreen(), { email })).text) as {
        accessToken: string;
      };
      const session = await caller.api('GET', '/auth/session', undefined, { token: accessToken });
      expect(session.body['email']).toBe(email);
    }
  });

  test('asks again for an e-mail address that no user has', async () => {
    const again = await decide(await consentScreen(), { email: '"><script>x@y' });
    expect(again.status).toBe(401);
    expect(again.text).toContain('No user of the core has this e-mail address.');
    expect(again.text).not.toContain('<script');
    expect((await decide(again, { email: ANA })).status).toBe(200);
  });

  test('that the user refuses is 401', async () => {
    const refused = await decide(await consentScreen(), { email: '', decision: 'refuse' });
    expect(refusalOf(refused)).toEqual(REFUSED);
    expect(refused.text).toContain('access_denied');
  });

  test('two at once in one browser do not disturb each other', async () => {
    const [one, two] = [await consentScreen(), await consentScreen()];
    expect((await decide(two, { email: ANA })).status).toBe(200);
    expect((await decide(one, { email: ANA })).status).toBe(200);
  });
});

describe('the answer of the provider', () => {
  test('counts once: brought again it is 401', async () => {
    const answer = await answerFor(ANA);
    expect((await browser.visit(answer)).status).toBe(200);
    expect(refusalOf(await browser.visit(answer))).toEqual(REFUSED);
  });

  test('counts only in the browser that began the login', async () => {
    const answer = await answerFor(ANA);
    expect(refusalOf(await new Browser().visit(answer))).toEqual(REFUSED);
    // The first try has used the login up.
    expect(refusalOf(await browser.visit(answer))).toEqual(REFUSED);
  });

  test('with the code of another login is 401: its PKCE verifier does not fit', async () => {
    const [one, two] = [new URL(await answerFor(ANA)), new URL(await answerFor(ANA))];
    two.searchParams.set('code', one.searchParams.get('code') ?? '');
    const mixed = await browser.visit(two.href);
    expect(refusalOf(mixed)).toEqual(REFUSED);
    expect(mixed.text).toContain('invalid_grant');
  });

  test.each(['state', 'code', 'iss'])('without %s is 401', async (name) => {
    const answer = new URL(await answerFor(ANA));
    answer.searchParams.delete(name);
    expect(refusalOf(await browser.visit(answer.href))).toEqual(REFUSED);
  });

  test('with an unknown state, or with two states, is 401', async () => {
    const callback = `${caller.core.url}/api/v1/auth/development-callback`;
    expect(refusalOf(await browser.visit(`${callback}?code=a&state=b`))).toEqual(REFUSED);
    const answer = await answerFor(ANA);
    const twice = await browser.visit(`${answer}&state=b`);
    expect(refusalOf(twice)).toEqual([400, 'BR-1', REFUSED[2]]);
  });

  test('is refused ten minutes after the login began', async () => {
    const [soon, late] = [await answerFor(ANA), await answerFor(ANA)];
    await caller.advance(PENDING_LOGIN_MS - 1);
    expect((await browser.visit(soon)).status).toBe(200);
    await caller.advance(1);
    expect(refusalOf(await browser.visit(late))).toEqual(REFUSED);
  });
});

describe('a login is refused', () => {
  test.each([
    ['another address', 'http://127.0.0.1:3000/other'],
    ['an allowed address as a mere beginning', `${CALLBACK_URL}.evil.example`],
    ['a query behind an allowed address', `${CALLBACK_URL}?next=http://evil.example`],
    ['another host', 'http://localhost:3000/callback'],
    ['a script', 'javascript:alert(1)'],
    ['nothing', ''],
  ])('for %s as callback_url', async (_name, callbackUrl) => {
    const refused = await browser.visit(loginUrl(callbackUrl));
    expect(refusalOf(refused)).toEqual([400, 'BR-1', 'GET /api/v1/auth/login']);
    expect(refused.text).toContain('callback_url');
  });

  test('without a callback_url, and for an unknown provider', async () => {
    const bare = await browser.visit(`${caller.core.url}/api/v1/auth/login`);
    expect(refusalOf(bare)).toEqual([400, 'BR-1', 'GET /api/v1/auth/login']);
    const stranger = await browser.visit(`${loginUrl()}&idp=nobody`);
    expect(refusalOf(stranger)).toEqual([400, 'BR-1', 'GET /api/v1/auth/login']);
    const path = '/api/v1/auth/nobody-callback';
    const callback = await browser.visit(`${caller.core.url}${path}?code=a&state=b`);
    expect(refusalOf(callback)).toEqual([404, 'NE-1', `GET ${path}`]);
  });
});

test('the development identity provider ends with the core, and only then', async () => {
  const { origin } = (await consentScreen()).url;
  expect((await fetch(`${origin}/.well-known/openid-configuration`)).status).toBe(200);
  await caller.stop();
  await expect(fetch(`${origin}/.well-known/openid-configuration`)).rejects.toThrow('fetch failed');
  caller = await startCaller();
});

test('another browser cannot answer the consent screen', async () => {
  const screen = await consentScreen();
  browser.forgetCookies();
  const decided = await decide(screen, { email: ANA });
  expect([decided.status, decided.text]).toEqual([400, expect.stringContaining('already used')]);
});
