import { expect, test } from 'vitest';
import { consoleUnderTest, words, PUBLIC } from '../console-under-test.ts';

test('a body is shown as text, and downloaded byte by byte', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver('not json: <script>');
  const { seq } = console.open.rows<{ seq: number }>('SELECT max(seq) AS seq FROM journal')[0] ?? {
    seq: 0,
  };
  const audra = await console.as('audra');
  const page = await audra.get(`/console/journal/${seq}`);
  expect(page).toContain('not json: &lt;script&gt;');
  expect(words(page)).toContain(`18 bytes at journal position ${seq}`);
  const bytes = await audra.request(`/console/journal/${seq}/bytes`);
  expect(bytes.headers.get('Content-Type')).toBe('application/octet-stream');
  expect(bytes.headers.get('Content-Disposition')).toContain('attachment');
  expect(await bytes.text()).toBe('not json: <script>');
});

test('a position without a fact is not found, and a public console shows no bytes', async () => {
  const console = await consoleUnderTest(PUBLIC);
  await console.open.deliver('secret');
  const { seq } = console.open.rows<{ seq: number }>('SELECT max(seq) AS seq FROM journal')[0] ?? {
    seq: 0,
  };
  expect(await console.stranger.get(`/console/journal/${seq}`)).not.toContain('secret');
  expect((await console.stranger.request(`/console/journal/${seq}/bytes`)).status).toBe(403);
  const signedIn = await (await consoleUnderTest()).as('audra');
  expect((await signedIn.request('/console/journal/99')).status).toBe(404);
  expect((await signedIn.request('/console/journal/99/bytes')).status).toBe(404);
});
