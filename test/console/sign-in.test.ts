import { expect, test } from 'vitest';
import { tokenOf } from '../api/api-under-test.ts';
import { verifyWith } from '../store/evidence.ts';
import { TOKEN, type ConsoleUnderTest, openConsole } from './console-under-test.ts';

const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };
const OTHER_SITE = { 'Sec-Fetch-Site': 'cross-site' };

function signIn(
  app: ConsoleUnderTest['app'],
  token: string,
  headers: Readonly<Record<string, string>> = OWN_PAGE,
) {
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
  const { open, service, app } = await openConsole({ access: TOKEN });
  await open.deliver(service.confirmed(1));
  const page = await app.request('/console');
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain('API token');
  expect(text).not.toContain('0xa1');
  expect((await app.request('/console/fragment')).status).toBe(401);
});

test('a token opens a session whose cookie is not the token', async () => {
  const { open, service, app } = await openConsole({ access: TOKEN });
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
  expect((await app.request('/console/fragment', { headers: { Cookie } })).status).toBe(200);
  const end = async (headers: Readonly<Record<string, string>>) =>
    (await app.request('/console/session/end', { method: 'POST', headers })).status;
  expect(await end({ Cookie, ...OTHER_SITE })).toBe(403);
  expect((await app.request('/console/fragment', { headers: { Cookie } })).status).toBe(200);
  expect(await end({ Cookie, ...OWN_PAGE })).toBe(303);
  expect((await app.request('/console/fragment', { headers: { Cookie } })).status).toBe(401);
});

test('behind TLS the cookie is never sent without it', async () => {
  const { app } = await openConsole({ access: TOKEN, secure: true });
  const answer = await signIn(app, tokenOf('vera'));
  expect(answer.headers.get('Set-Cookie')).toContain('; Secure');
});

test('behind TLS every answer tells browsers to come over TLS alone, and never without it', async () => {
  const { app } = await openConsole({ access: TOKEN, secure: true });
  const { app: plain } = await openConsole({ access: TOKEN });
  for (const path of ['/', '/console', '/console/', '/console/fragment', '/console/reports/x']) {
    const [told, untold] = [await app.request(path), await plain.request(path)];
    expect([path, told.headers.get('Strict-Transport-Security')]).toEqual([
      path,
      'max-age=31536000',
    ]);
    expect(untold.headers.get('Strict-Transport-Security')).toBeNull();
  }
});

test('an open page does not keep a session that nobody uses; a person at it does', async () => {
  const clock = { now: 0 };
  const now = () => clock.now;
  const { app } = await openConsole({ access: TOKEN, now, idleMsMax: 60_000 });
  const Cookie = cookieOf(await signIn(app, tokenOf('vera')));
  const after = async (ms: number, path: string) => {
    clock.now += ms;
    return (await app.request(path, { headers: { Cookie } })).status;
  };
  expect(await after(59_999, '/console/fragment?acted')).toBe(200);
  expect(await after(59_999, '/console')).toBe(200);
  // Only the page asks, by its script, or without scripts by loading itself again.
  expect(await after(30_000, '/console/fragment')).toBe(200);
  expect(await after(29_999, '/console?reload')).toBe(200);
  expect(await after(1, '/console/fragment?acted')).toBe(401);
});

test('the page tells whether a person did something since it asked last', async () => {
  const { read } = await openConsole();
  const page = await read();
  expect(page).toMatch(/'pointermove', 'pointerdown', 'keydown', 'wheel'/);
  expect(page).toContain("'/console/fragment?acted' : '/console/fragment'");
});

test('after ten wrong tokens in a minute nobody signs in from there, and the page says for how long', async () => {
  const { app } = await openConsole({ access: TOKEN, now: () => 0 });
  for (let number = 0; number < 10; number += 1) await signIn(app, 'wrong', OTHER_SITE);
  expect((await signIn(app, tokenOf('vera'))).status).toBe(303);
  for (let number = 0; number < 10; number += 1) await signIn(app, 'wrong');
  const answer = await signIn(app, tokenOf('vera'));
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(answer.headers.get('Set-Cookie')).toBeNull();
  expect(await answer.text()).toContain('Too many wrong tokens. Try again in 60 s.');
});

test('a wrong token, none, or too long a one signs nobody in', async () => {
  const { app } = await openConsole({ access: TOKEN });
  const answers = [
    await signIn(app, 'wrong'),
    await signIn(app, ''),
    await app.request('/console/session', { method: 'POST', headers: OWN_PAGE }),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([401, null]);
    expect(await answer.text()).toContain('That token is not one of api.tokens.');
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
  const { app } = await openConsole({ access: TOKEN });
  const answer = await signIn(app, tokenOf('vera'), { Host: 'books.test', ...headers });
  expect([answer.status, answer.headers.has('Set-Cookie')]).toEqual([status, status === 303]);
});

test('a public console has no session to sign in to', async () => {
  const { app } = await openConsole();
  expect((await signIn(app, tokenOf('vera'))).status).toBe(404);
});

test('a report is shown to nobody who has not signed in', async () => {
  const { app } = await openConsole({ access: TOKEN });
  const answer = await app.request('/console/reports/2025-11-20');
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console']);
});
