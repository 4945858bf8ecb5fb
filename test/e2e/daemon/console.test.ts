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
