import { request } from 'node:http';
import { expect, test } from 'vitest';
import { Daemon } from '../daemon.ts';

test('a form that the console refuses is no defect, and headers of the console stay off the API', async () => {
  const daemon = await Daemon.start();
  const signIn = async (site: string, token: string): Promise<number> => {
    const answer = await fetch(`${daemon.url}/console/session`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { 'Sec-Fetch-Site': site },
    });
    return answer.status;
  };
  expect(await signIn('cross-site', daemon.adminToken)).toBe(403);
  expect(await signIn('same-origin', 'x'.repeat(5_000))).toBe(413);
  expect(daemon.stderr()).not.toContain('a request failed');
  const headersOf = async (path: string): Promise<Headers> =>
    (await fetch(`${daemon.url}${path}`)).headers;
  const [page, api] = [await headersOf('/console'), await headersOf('/openapi.json')];
  expect(page.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'self'/);
  expect(api.get('Content-Security-Policy')).toBeNull();
  for (const headers of [page, api]) {
    expect(headers.get('X-Frame-Options')).toBe('SAMEORIGIN');
    expect(headers.get('Strict-Transport-Security')).toBeNull();
  }
});

test('an open page hears of a notification that the daemon has taken', async () => {
  const daemon = await Daemon.start();
  const form = { method: 'POST', body: new URLSearchParams({ token: daemon.adminToken }) };
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  const session = await fetch(`${daemon.url}/console/session`, {
    ...form,
    headers,
    redirect: 'manual',
  });
  const cookie = (session.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
  const answer = await fetch(`${daemon.url}/console/live`, { headers: { cookie } });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part)) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) throw new Error(`the stream ended: ${text}`);
      text += chunk.value;
    }
  };
  await until('event: hello');
  await daemon.deliver(JSON.stringify({ id: 'strange', stream: 'weather' }));
  await until('data: intake quarantine breaks');
  // The stream is open: a shutdown ends it and waits for nobody.
  expect(await daemon.end('SIGTERM')).toBe(0);
});

test('wrong tokens from one address stop no sign-in from another', async () => {
  const daemon = await Daemon.start();
  const signIn = (token: string, localAddress: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const body = new URLSearchParams({ token }).toString();
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Sec-Fetch-Site': 'same-origin',
      };
      const sent = request(`${daemon.url}/console/session`, {
        method: 'POST',
        headers,
        localAddress,
      });
      sent.on('response', (answer) => resolve(answer.resume().statusCode));
      sent.on('error', reject);
      sent.end(body);
    });
  for (let number = 0; number < 10; number += 1) await signIn('wrong', '127.0.0.2');
  expect(await signIn(daemon.adminToken, '127.0.0.2')).toBe(429);
  expect(await signIn(daemon.adminToken, '127.0.0.1')).toBe(303);
});
