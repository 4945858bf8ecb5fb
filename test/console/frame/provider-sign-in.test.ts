import { expect, onTestFinished, test } from 'vitest';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startForeignProvider,
  type ForeignProvider,
} from '../../simulator/identity/foreign-provider.ts';
import {
  consoleUnderTest,
  words,
  type ConsoleTestOptions,
  type ConsoleUnderTest,
} from '../console-under-test.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const ROLES = { 'treasury ops': 'operator', treasury: 'finance', everybody: 'viewer' } as const;

const ANA = { email: 'Ana@books.test', email_verified: true, groups: ['everybody', 'treasury'] };

type Options = Parameters<typeof startForeignProvider>[0];

/** A console whose people sign in at a provider of another party. */
async function withProvider(
  settings: { groupsClaim?: string; issuer?: string } = {},
  provided: Partial<Options> = {},
  options: ConsoleTestOptions = {},
): Promise<{ console: ConsoleUnderTest; provider: ForeignProvider }> {
  const provider = await startForeignProvider({
    redirectUris: [`${ORIGIN}/console/session/callback`],
    ...provided,
  });
  onTestFinished(() => provider.stop());
  provider.logIn(ANA);
  const isPublic = provided.publicClient === true;
  const console = await consoleUnderTest({
    now: () => Date.now(),
    provider: {
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      ...(isPublic ? {} : { clientSecret: CLIENT_SECRET }),
      groupsClaim: 'groups',
      scope: 'openid profile email',
      roles: ROLES,
      ...settings,
    },
    ...options,
  });
  return { console, provider };
}

/** `name=value` of every cookie that an answer sets. */
function cookiesOf(answer: Response): string[] {
  return answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
}

/** Follows the provider's redirects with its cookies, up to an address of the console. */
async function throughProvider(from: string): Promise<string> {
  const jar = new Map<string, string>();
  let address = from;
  while (!address.startsWith(ORIGIN)) {
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { headers: { Cookie }, redirect: 'manual' });
    for (const cookie of cookiesOf(answer)) {
      const [name = '', ...value] = cookie.split('=');
      jar.set(name, value.join('='));
    }
    const to = answer.headers.get('Location');
    if (to === null) throw new Error(`${answer.status} ${await answer.text()}`);
    address = new URL(to, address).href;
  }
  return address;
}

interface SignIn {
  readonly to: string;
  readonly cookie: string;
}

async function begin({ app }: ConsoleUnderTest, next = '/console/runs'): Promise<SignIn> {
  const path = `/console/session/provider?next=${encodeURIComponent(next)}`;
  const answer = await app.request(`${ORIGIN}${path}`);
  if (answer.status !== 303) throw new Error(`${answer.status} ${words(await answer.text())}`);
  return { to: answer.headers.get('Location') ?? '', cookie: cookiesOf(answer).join('; ') };
}

async function end({ app }: ConsoleUnderTest, callback: string, Cookie: string) {
  return app.request(callback, { headers: { Cookie, 'Sec-Fetch-Site': 'cross-site' } });
}

/** A whole sign-in. */
async function signIn(console: ConsoleUnderTest): Promise<Response> {
  const { to, cookie } = await begin(console);
  return end(console, await throughProvider(to), cookie);
}

/** The person in the top bar, after a sign-in. */
async function visitorOf({ app }: ConsoleUnderTest, answer: Response): Promise<string> {
  const Cookie = cookiesOf(answer).join('; ');
  const page = await (await app.request('/console/runs', { headers: { Cookie } })).text();
  return /<span class="visitor">([^<]*)</.exec(page)?.[1] ?? 'nobody';
}

test.for([
  ['that has a secret', {}],
  ['that is public', { publicClient: true }],
  ['whose claims are in the ID token', { claimsInIdToken: true }],
] as const)('a person signs in at a provider with a client %s', async ([, provided]) => {
  const { console } = await withProvider({}, provided);
  const answer = await signIn(console);
  expect(answer.status).toBe(200);
  expect(await answer.clone().text()).toContain('content="0;url=/console/runs"');
  expect(answer.headers.get('Set-Cookie')).toMatch(/counterfoil_console=.*SameSite=Strict/);
  expect(await visitorOf(console, answer)).toBe('person:ana@books.test · finance');
});

test('the way to the provider carries PKCE, a state and a nonce, and the cookie shows none of them', async () => {
  const { console } = await withProvider();
  const [first, second] = [await begin(console), await begin(console)];
  const query = new URL(first.to).searchParams;
  expect(Object.fromEntries(query)).toMatchObject({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: `${ORIGIN}/console/session/callback`,
    code_challenge_method: 'S256',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(query.get(name)).not.toBe(new URL(second.to).searchParams.get(name));
    expect(first.cookie).not.toContain(query.get(name) ?? '');
  }
  expect(first.cookie).toMatch(/^counterfoil_sign_in=/);
});

test.for<[string, object, string]>([
  ['no group has a role', { groups: ['sales'] }, '(groups: sales). Ask an administrator'],
  ['there are no groups', { groups: [] }, '(groups: none). Ask an administrator'],
  ['the claim is missing', {}, 'let it send the claim &quot;groups&quot; to the client the-core'],
])('a person is refused, and the answer says what to do, where %s', async ([, claims, detail]) => {
  const { console, provider } = await withProvider();
  provider.logIn({ email: 'eve@books.test', ...claims });
  const answer = await signIn(console);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain(detail);
  expect(answer.headers.get('Set-Cookie')).not.toContain('counterfoil_console');
});

test('a provider that does not answer is named, and the next try asks it again', async () => {
  const { console, provider } = await withProvider();
  await provider.stop();
  const path = `${ORIGIN}/console/session/provider`;
  const answer = await console.app.request(path);
  expect(answer.status).toBe(503);
  const page = words(await answer.text());
  expect(page).toContain(`The provider ${provider.issuer} did not answer as expected`);
  expect(page).toContain('Check console.oidc and the network, or sign in with a token.');
  const again = await startForeignProvider({
    redirectUris: [`${ORIGIN}/console/session/callback`],
    port: provider.port,
  });
  onTestFinished(() => again.stop());
  expect((await console.app.request(path)).status).toBe(303);
});

test('an issuer that is not the one configured signs nobody in', async () => {
  const { provider } = await withProvider();
  const { console } = await withProvider({ issuer: `http://localhost:${provider.port}` });
  const answer = await console.app.request(`${ORIGIN}/console/session/provider`);
  expect(answer.status).toBe(503);
});

test('a token that is not valid at this machine’s time names the clocks', async () => {
  const { console } = await withProvider({}, { clockAheadMs: -3_600_000 });
  const answer = await signIn(console);
  expect(answer.status).toBe(403);
  expect(words(await answer.text())).toContain('set the clocks of both machines');
});

test('an answer counts once, in the browser that began, with its own state', async () => {
  const { console } = await withProvider();
  const [mine, other] = [await begin(console), await begin(console)];
  const callback = await throughProvider(mine.to);
  expect((await end(console, callback, '')).status).toBe(403);
  expect((await end(console, callback, other.cookie)).status).toBe(403);
  expect((await end(console, callback, `${mine.cookie}x`)).status).toBe(403);
  expect((await end(console, callback, mine.cookie)).status).toBe(200);
  const again = await end(console, callback, mine.cookie);
  expect(again.status).toBe(403);
  expect(words(await again.text())).toContain('Sign in again');
});

test('what a provider refuses is said', async () => {
  const { console, provider } = await withProvider();
  const { to, cookie } = await begin(console);
  const query = new URLSearchParams({
    error: 'access_denied',
    state: new URL(to).searchParams.get('state') ?? '',
    iss: provider.issuer,
  });
  const callback = `${ORIGIN}/console/session/callback?${query.toString()}`;
  const answer = await end(console, callback, cookie);
  expect(answer.status).toBe(403);
  expect(words(await answer.text())).toContain('The provider answered access_denied.');
});

test('behind TLS the provider sends the browser back to https, and the cookie needs it', async () => {
  const { console } = await withProvider({}, {}, { secure: true });
  const answer = await console.app.request(`${ORIGIN}/console/session/provider`);
  const to = new URL(answer.headers.get('Location') ?? '');
  expect(to.searchParams.get('redirect_uri')).toBe(
    'https://127.0.0.1:8080/console/session/callback',
  );
  expect(answer.headers.get('Set-Cookie')).toMatch(
    /^counterfoil_sign_in=[^;]+; Max-Age=600; Path=\/console\/session; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(answer.headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
});

test('the sign-in page offers the provider beside the token, and no provider where none is', async () => {
  const { console, provider } = await withProvider();
  const page = await console.stranger.get('/console/runs');
  expect(words(page)).toContain(`Sign in at ${new URL(provider.issuer).host}`);
  expect(page).toContain('href="/console/session/provider?next=%2Fconsole%2Fruns"');
  expect(await (await consoleUnderTest()).stranger.get('/console')).not.toContain('Sign in at');
});
