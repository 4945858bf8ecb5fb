import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { consoleUnderTest, PUBLIC, words } from '../console-under-test.ts';

const AS_BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

test('a path of no page answers a person with ways back', async () => {
  const { stranger } = await consoleUnderTest(PUBLIC);
  const answer = await stranger.request('/console/nothing', AS_BROWSER);
  const page = await answer.text();
  expect([answer.status, words(page)]).toEqual([
    404,
    expect.stringContaining('No page is at /console/nothing.'),
  ]);
  expect(page).toContain('<a href="/console/search">Search</a>');
  expect(page).toContain('<a href="/console">overview</a>');
});

test('a path of no page answers a program with a problem', async () => {
  const { app, api } = await consoleUnderTest(PUBLIC);
  const program = new Hono().route('/', app).route('/', api.app);
  const answer = await program.request('/console/nothing', { headers: { Accept: '*/*' } });
  expect([answer.status, answer.headers.get('Content-Type'), await answer.json()]).toEqual([
    404,
    'application/problem+json',
    expect.objectContaining({
      detail: 'Nothing is at /console/nothing: see /docs for every path.',
    }),
  ]);
});

test('a page about a thing that does not exist says where to look', async () => {
  const { stranger } = await consoleUnderTest(PUBLIC);
  const answer = await stranger.request('/console/deposits/dep_nope', AS_BROWSER);
  const text = words(await answer.text());
  expect(answer.status).toBe(404);
  expect(text).toContain(
    'There is no deposit dep_nope. Check the address. Search by id, hash, address, memo or day, or open the overview .',
  );
});
