import { expect, test } from 'vitest';
import { tokenOf, type Person } from '../../api/api-under-test.ts';
import { verifyWith } from '../../store/evidence.ts';
import {
  consoleUnderTest,
  OWN_PAGE,
  PUBLIC,
  words,
  type ConsoleTestOptions,
} from '../console-under-test.ts';

async function openConsole(options: ConsoleTestOptions = {}) {
  const { open, service, app } = await consoleUnderTest({ ...PUBLIC, ...options });
  return { open, service, app };
}

async function publicConsole() {
  const console = await consoleUnderTest(PUBLIC);
  const { open, stranger } = console;
  return { open, stranger, as: (person: Person) => console.as(person) };
}

type App = Awaited<ReturnType<typeof openConsole>>['app'];

const OTHER_SITE = { 'Sec-Fetch-Site': 'cross-site' };

function signIn(app: App, token: string, headers: Readonly<Record<string, string>> = OWN_PAGE) {
  return app.request('/console/session', {
    method: 'POST',
    body: new URLSearchParams({ token }),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** `name=value` of the cookie that an answer sets. */
function cookieOf(response: Response): string {
  return (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
}

test('a stranger is asked for a token and shown nothing', async () => {
  const { open, service, app } = await openConsole({ isPublic: false });
  await open.deliver(service.confirmed(1));
  const page = await app.request('/console');
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain('API token');
  expect(text).not.toContain('0xa1');
  expect((await app.request('/console', { headers: { 'X-Live': '1' } })).status).toBe(401);
  expect((await app.request('/console/live')).status).toBe(401);
});

test('the sign-in page says what happens to the token', async () => {
  const { app } = await openConsole({ isPublic: false });
  const page = words(await (await app.request('/console/session')).text());
  expect(page).toContain(
    'Your browser sends the token to this server once and does not keep it. The server does not keep it either, only its SHA-256.',
  );
  expect(page).toContain('until you sign out, at most 12 hours.');
});

test('a token opens a session whose cookie is not the token', async () => {
  const { open, service, app } = await openConsole({ isPublic: false });
  await open.deliver(service.confirmed(1));
  await verifyWith(open);
  const answer = await signIn(app, ` ${tokenOf('vera')} `);
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console']);
  expect(answer.headers.get('Set-Cookie')).toMatch(
    /^counterfoil_console=[\w-]{43}; Max-Age=43200; Path=\/console; HttpOnly; SameSite=Strict$/,
  );
  const Cookie = cookieOf(answer);
  const page = await (await app.request('/console', { headers: { Cookie } })).text();
  expect(page).toContain('vera · viewer');
  expect(page).toContain('0xa1');
  expect((await app.request('/console', { headers: { Cookie, 'X-Live': '1' } })).status).toBe(200);
  const end = async (headers: Readonly<Record<string, string>>) =>
    (await app.request('/console/session/end', { method: 'POST', headers })).status;
  expect(await end({ Cookie, ...OTHER_SITE })).toBe(403);
  expect((await app.request('/console', { headers: { Cookie, 'X-Live': '1' } })).status).toBe(200);
  expect(await end({ Cookie, ...OWN_PAGE })).toBe(303);
  expect((await app.request('/console', { headers: { Cookie, 'X-Live': '1' } })).status).toBe(401);
});

test('behind TLS the cookie is never sent without it', async () => {
  const { app } = await openConsole({ isPublic: false, secure: true });
  const answer = await signIn(app, tokenOf('vera'));
  expect(answer.headers.get('Set-Cookie')).toContain('; Secure');
});

test('an open page does not keep a session that nobody uses; a person at it does', async () => {
  const clock = { now: 0 };
  const now = () => clock.now;
  const { app } = await openConsole({ isPublic: false, now, idleMsMax: 60_000 });
  const Cookie = cookieOf(await signIn(app, tokenOf('vera')));
  const after = async (
    ms: number,
    path: string,
    init: { method?: string; headers?: Record<string, string> } = {},
  ) => {
    clock.now += ms;
    const headers = { ...OWN_PAGE, ...init.headers, Cookie };
    const answer = await app.request(path, { ...init, headers });
    return (await answer.text()).includes('API token') ? 401 : answer.status;
  };
  const acted = { method: 'POST' };
  const live = { headers: { 'X-Live': '1' } };
  expect(await after(59_999, '/console/session/acted', acted)).toBe(204);
  expect(await after(59_999, '/console')).toBe(200);
  // Only the page asks, by its script, or without scripts by loading itself again.
  expect(await after(30_000, '/console', live)).toBe(200);
  expect(await after(29_999, '/console?reload')).toBe(200);
  expect(await after(1, '/console', live)).toBe(401);
  expect(await after(0, '/console')).toBe(401);
});

test('after ten wrong tokens in a minute nobody signs in from there, and the page says for how long', async () => {
  const { app } = await openConsole({ isPublic: false, now: () => 0 });
  for (let number = 0; number < 10; number += 1) await signIn(app, 'wrong', OTHER_SITE);
  expect((await signIn(app, tokenOf('vera'))).status).toBe(303);
  for (let number = 0; number < 10; number += 1) await signIn(app, 'wrong');
  const answer = await signIn(app, tokenOf('vera'));
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(answer.headers.get('Set-Cookie')).toBeNull();
  expect(await answer.text()).toContain('Too many wrong tokens. Try again in 60 s.');
});

test('a wrong token, none, or too long a one signs nobody in', async () => {
  const { app } = await openConsole({ isPublic: false });
  const answers = [
    await signIn(app, 'wrong'),
    await signIn(app, ''),
    await app.request('/console/session', { method: 'POST', headers: OWN_PAGE }),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([401, null]);
    expect(await answer.text()).toContain(
      'That token is unknown or revoked. Check that you entered the whole token, or ask an admin for a new one.',
    );
  }
  expect((await signIn(app, 'x'.repeat(5_000))).status).toBe(413);
});

test.each([
  ['of the console itself', OWN_PAGE, 303],
  ['that the person typed', { 'Sec-Fetch-Site': 'none' }, 303],
  ['of an old browser behind a proxy that ends TLS', { Origin: 'https://books.test' }, 303],
  ['of another site', OTHER_SITE, 403],
  ['of another host of the same site', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['of another site in an old browser', { Origin: 'https://evil.test' }, 403],
  ['of a host whose name ends alike', { Origin: 'https://evil-books.test' }, 403],
  ['of a page without an origin', { Origin: 'null' }, 403],
  ['that tells nothing of its page', {}, 403],
])('a sign-in form %s', async (_, headers, status) => {
  const { app } = await openConsole({ isPublic: false });
  const answer = await signIn(app, tokenOf('vera'), { Host: 'books.test', ...headers });
  expect([answer.status, answer.headers.has('Set-Cookie')]).toEqual([status, status === 303]);
});

test.each([
  [{ Origin: 'https://evil.test' }, 'https://evil.test'],
  [{}, 'no header Origin'],
])('the refusal of a form with %o says where it came from', async (headers, origin) => {
  const { app } = await openConsole({ isPublic: false });
  const answer = await signIn(app, tokenOf('vera'), { Host: 'books.test', ...headers });
  expect(await answer.text()).toContain(
    `This form did not come from a page of books.test (${origin}). In a browser: open the page anew`,
  );
});

test('in a public console strangers look, and a person who signs in acts', async () => {
  const { open, stranger, as } = await publicConsole();
  const page = await stranger.get('/console/runs?page=2');
  expect(page).toContain('href="/console/session?next=%2Fconsole%2Fruns">Sign in to act');
  expect(page).not.toContain('Run now');
  expect(words(await stranger.get('/console/session?next=/console/runs'))).toContain('API token');
  const otto = await as('otto');
  expect(words(await otto.send('/console/runs', { reason: 'asked' }))).toContain(
    'The reconciliation has run.',
  );
  expect(open.rows('SELECT * FROM reconciliations')).toHaveLength(1);
  expect((await otto.post('/console/session/end')).status).toBe(303);
  expect(words(await otto.get('/console/runs'))).toContain('Sign in to act');
});

test('after signing in a person is where they wanted to be, and never on another site', async () => {
  const { stranger } = await consoleUnderTest();
  expect(await stranger.get('/console/runs?page=2')).toContain(
    'name="next" value="/console/runs?page=2"',
  );
  const after = async (next: string) => {
    const answer = await stranger.post('/console/session', { token: tokenOf('vera'), next });
    return answer.headers.get('Location');
  };
  expect(await after('/console/runs?page=2')).toBe('/console/runs?page=2');
  for (const other of [
    'https://evil.test',
    '//evil.test',
    '/consoles',
    '/v1/policy',
    '',
    // No header can hold it.
    '/console/\nruns',
  ]) {
    expect(await after(other)).toBe('/console');
  }
});

test('a report is shown to nobody who has not signed in', async () => {
  const { stranger } = await consoleUnderTest();
  expect(await stranger.get('/console/reports/2025-11-20')).toContain('API token');
});

test('a form of a person who is not signed in any more does nothing, and keeps what they wrote', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  await olga.post('/console/session/end');
  const send = async (path: string, reason: string): Promise<string> => {
    const answer = await olga.request(path, {
      method: 'POST',
      body: new URLSearchParams({ reason }),
      headers: { ...OWN_PAGE, Accept: 'text/html' },
    });
    expect(answer.status).toBe(401);
    return answer.text();
  };
  const page = await send('/console/policy/halt', 'a <long> text');
  expect(words(page)).toContain('You are not signed in any more, and nothing was done.');
  expect(page).toContain('<q>a &lt;long&gt; text</q>');
  for (const [action, next] of [
    ['/console/policy/halt', '/console/policy'],
    ['/console/breaks/brk_1/notes', '/console/breaks/brk_1'],
    ['/console/access/olga/revoke', '/console/access'],
    ['/console/runs', '/console/runs'],
  ] as const) {
    expect(await send(action, 'x')).toContain(`name="next" value="${next}"`);
  }
  expect((await console.api.get('/v1/policy')).body['halted']).toEqual([]);
});
