import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../e2e/program.ts';
import { startCore } from '../../../src/simulator/core.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { Browser } from './browser.ts';
import type { VisitedPage } from './browser.ts';
import { CLIENT_ID, CLIENT_SECRET, startForeignProvider } from './foreign-provider.ts';
import type { ForeignProvider } from './foreign-provider.ts';

const ANA = 'ana@example.com';
const CALLBACK_URL = 'https://app.example/back';
/** The callback address must be registered at the provider before the core has its port. */
const PUBLIC_URL = 'http://core.example';
const REDIRECT_URIS = [`${PUBLIC_URL}/api/v1/auth/corp-callback`];

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function provider(
  options: Partial<Parameters<typeof startForeignProvider>[0]> = {},
): Promise<ForeignProvider> {
  const foreign = await startForeignProvider({ redirectUris: REDIRECT_URIS, ...options });
  stops.push(() => foreign.stop());
  foreign.logIn({ email: ANA, email_verified: true });
  return foreign;
}

async function coreWith(issuer: string, clientSecret?: string): Promise<Caller> {
  const caller = await startCaller({
    identityProviders: [
      {
        name: 'corp',
        issuer,
        clientId: CLIENT_ID,
        ...(clientSecret === undefined ? {} : { clientSecret }),
      },
    ],
    callbackUrls: [CALLBACK_URL],
    publicUrl: PUBLIC_URL,
  });
  stops.push(() => caller.stop());
  const user = { name: 'Ana', type: 'user', email: ANA, permissions: [] };
  await caller.sim('POST', '/sim/clients', user);
  return caller;
}

/** Logs in as the user who is logged in at the provider. */
async function logIn(caller: Caller): Promise<VisitedPage> {
  const browser = new Browser();
  const login = `${caller.core.url}/api/v1/auth/login`;
  const back = await browser.visit(
    `${login}?callback_url=${encodeURIComponent(CALLBACK_URL)}`,
    undefined,
    { until: (next) => next.origin === PUBLIC_URL },
  );
  // A proxy before the core would turn its public address into the one that it listens on.
  return back.url.origin === PUBLIC_URL
    ? browser.visit(`${caller.core.url}${back.url.pathname}${back.url.search}`)
    : back;
}

const outcome = ({ status, text }: VisitedPage): unknown[] => {
  const body = JSON.parse(text) as { errorCode?: string; errorMessage?: string };
  return [status, body.errorCode, body.errorMessage];
};

test('a user logs in at a configured provider, which knows the core by its secret', async () => {
  const { issuer } = await provider();
  const caller = await coreWith(issuer, CLIENT_SECRET);
  const done = await logIn(caller);
  const { accessToken } = JSON.parse(done.text) as { accessToken: string };
  const session = await caller.api('GET', '/auth/session', undefined, { token: accessToken });
  expect([done.status, session.body['email']]).toEqual([200, ANA]);
});

test('a public client needs no secret, and an ID token may hold the e-mail itself', async () => {
  const { issuer } = await provider({ publicClient: true, claimsInIdToken: true });
  expect((await logIn(await coreWith(issuer))).status).toBe(200);
});

test.each<[string, Record<string, string | boolean>, string]>([
  [
    'the core has no such user',
    { email: 'nobody@example.com', email_verified: true },
    'No user has this e-mail address',
  ],
  [
    'the provider has not verified the address',
    { email: ANA, email_verified: false },
    'The e-mail address is not verified by the provider',
  ],
  [
    'the provider returns no address',
    { email_verified: true },
    'The identity provider returned no e-mail address',
  ],
])('is 401 when %s', async (_name, claims, message) => {
  const foreign = await provider();
  const caller = await coreWith(foreign.issuer, CLIENT_SECRET);
  foreign.logIn(claims);
  expect(outcome(await logIn(caller))).toEqual([401, 'AU-1', message]);
});

test('an address without the verified claim is accepted', async () => {
  const foreign = await provider();
  foreign.logIn({ email: ANA });
  expect((await logIn(await coreWith(foreign.issuer, CLIENT_SECRET))).status).toBe(200);
});

test('a wrong client secret is 500 APM-1', async () => {
  const { issuer } = await provider();
  const refused = outcome(await logIn(await coreWith(issuer, 'another secret')));
  expect(refused.slice(0, 2)).toEqual([500, 'APM-1']);
});

test('a provider that is down is 500 APM-1, and works as soon as it is up again', async () => {
  const port = await freePort();
  const foreign = await provider({ port });
  const { issuer } = foreign;
  await foreign.stop();
  const caller = await coreWith(issuer, CLIENT_SECRET);
  expect(outcome(await logIn(caller)).slice(0, 2)).toEqual([500, 'APM-1']);
  await provider({ port });
  expect((await logIn(caller)).status).toBe(200);
});

test('a provider whose metadata names another issuer is refused', async () => {
  const { port } = await provider();
  const caller = await coreWith(`http://localhost:${port}`, CLIENT_SECRET);
  expect(outcome(await logIn(caller)).slice(0, 2)).toEqual([500, 'APM-1']);
});

test('plain HTTP is for this machine only', async () => {
  const caller = await coreWith('http://192.0.2.1', CLIENT_SECRET);
  const refused = outcome(await logIn(caller));
  expect(refused.slice(0, 2)).toEqual([500, 'APM-1']);
  expect(refused[2]).toContain('HTTPS');
});

test('a login without any provider is 400', async () => {
  const caller = await startCaller({ identityProviders: [] });
  stops.push(() => caller.stop());
  const path = `/auth/login?callback_url=${encodeURIComponent('http://127.0.0.1:3000/callback')}`;
  const { status, body } = await caller.api('GET', path, undefined, { token: null });
  expect([status, body['errorCode']]).toEqual([400, 'BR-1']);
});

test.each([
  ['a name that is no path segment', [{ name: 'a/b' }]],
  ['two of a name', [{ name: 'corp' }, { name: 'corp' }]],
  ['an issuer that is no URL', [{ name: 'corp', issuer: 'corp' }]],
])('a core with %s does not start', async (_name, providers) => {
  const identityProviders = providers.map((each) => ({
    issuer: 'https://idp.example',
    clientId: CLIENT_ID,
    ...each,
  }));
  await expect(startCore({ port: 0, clock: 'virtual', identityProviders })).rejects.toThrow(
    /identity provider|issuer/,
  );
});
