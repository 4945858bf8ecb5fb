import { expect, test } from 'vitest';
import { consoleUnderTest, OWN_PAGE, PUBLIC } from '../console-under-test.ts';

test('a page loads the console’s own files and runs nothing inline', async () => {
  const { stranger } = await consoleUnderTest(PUBLIC);
  const answer = await stranger.request('/console');
  const policy = answer.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'; style-src 'self'; script-src 'self'");
  expect(policy).not.toContain('unsafe');
  const page = await answer.text();
  expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]/);
  expect([...page.matchAll(/(?:src|href|action)="(?!\/|#)/g)]).toEqual([]);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
});

test('every file that a page names is there, and browsers keep it', async () => {
  const { stranger } = await consoleUnderTest();
  const page = await stranger.get('/console');
  const files = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, url = '']) => url,
  );
  expect(files.map((url) => url.slice(url.lastIndexOf('/') + 1)).toSorted()).toEqual([
    'icon.svg',
    'idiomorph.js',
    'pages.css',
    'pages.js',
  ]);
  for (const url of files) {
    const answer = await stranger.request(url);
    expect([url, answer.status]).toEqual([url, 200]);
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect((await answer.text()).length).toBeGreaterThan(100);
  }
  const [module = ''] = files.filter((url) => url.endsWith('pages.js'));
  const folder = module.replace('pages.js', '');
  const imported = [...(await stranger.get(module)).matchAll(/from '\.\/([^']+)'/g)];
  expect(imported.length).toBeGreaterThan(0);
  for (const [, name] of imported) {
    expect((await stranger.request(`${folder}${name}`)).status).toBe(200);
  }
});

test('the bare address leads to the console', async () => {
  const { stranger } = await consoleUnderTest(PUBLIC);
  const answer = await stranger.request('/');
  expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/console']);
});

test('behind TLS every answer asks browsers for TLS alone; without TLS none does', async () => {
  const { stranger: secure } = await consoleUnderTest({ secure: true });
  const { stranger: plain } = await consoleUnderTest();
  for (const path of ['/', '/console', '/console/', '/console/live', '/console/reports/x']) {
    const [overTls, overHttp] = [await secure.request(path), await plain.request(path)];
    expect([path, overTls.headers.get('Strict-Transport-Security')]).toEqual([
      path,
      'max-age=31536000',
    ]);
    expect(overHttp.headers.get('Strict-Transport-Security')).toBeNull();
  }
});

test('a form of another site changes nothing', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  const post = async (headers: Record<string, string>) => {
    const init = { method: 'POST', headers, body: new URLSearchParams({ reason: 'asked' }) };
    return (await olga.request('/console/runs', init)).status;
  };
  expect(await post({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
  expect(await post({})).toBe(403);
  expect(console.open.rows('SELECT * FROM reconciliations')).toEqual([]);
  expect(await post(OWN_PAGE)).toBe(303);
  expect(console.open.rows('SELECT * FROM reconciliations')).toHaveLength(1);
});
