import { expect, test } from 'vitest';
import { consoleUnderTest, words } from '../console-under-test.ts';

const LISTS = [
  ['deposits', 'state, reason, asset', 'state=held&after='],
  ['deposits.csv', 'state, reason, asset', 'state=held'],
  ['withdrawals', 'status, custody, asset', 'status=mined&page=1'],
  ['withdrawals.xlsx', 'status, custody, asset', 'status=mined'],
  ['breaks', 'state, type, severity', 'type=malformed&chosen=all&page=1'],
  ['breaks.csv', 'state, type, severity', 'type=malformed'],
  ['books', 'view, vaultId, accountId', 'view=chain&page=1'],
  ['books/balances/csv', 'view, vaultId, accountId', 'view=chain'],
  ['quarantine', 'state', 'state=kept&page=1'],
  ['audit', 'who, kind, subject', 'who=olga&before=9'],
  ['audit.csv', 'who, kind, subject', 'who=olga'],
] as const;

test.for(LISTS)(
  'a link to %s with a filter that does not exist is not found, and names those that do',
  async ([list, filters, known]) => {
    const ada = await (await consoleUnderTest()).as('ada');
    const answer = await ada.request(`/console/${list}?${known}&colour=red`);
    expect([answer.status, words(await answer.text())]).toEqual([
      404,
      expect.stringContaining(`There is no filter colour here. The filters are ${filters}`),
    ]);
    expect((await ada.request(`/console/${list}?${known}&colour=`)).status).toBe(200);
  },
);

test.for(['feed', 'runs'])('a link to %s with any filter is not found', async (list) => {
  const vera = await (await consoleUnderTest()).as('vera');
  const answer = await vera.request(`/console/${list}?page=1&state=failed`);
  expect([answer.status, words(await answer.text())]).toEqual([
    404,
    expect.stringContaining('There is no filter state here. This page has none.'),
  ]);
  expect((await vera.request(`/console/${list}?page=1`)).status).toBe(200);
});

test.for(['0x6707f1f24135b20294ee49dfb46291f80a1b2c3d', 'ana', '150'])(
  'every filter that a search for %s leads to exists',
  async (text) => {
    const vera = await (await consoleUnderTest()).as('vera');
    const page = await vera.get(`/console/search?q=${text}`);
    const links = [...page.matchAll(/href="(\/console\/(?:deposits|withdrawals)\?[^"]*)"/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [, link = ''] of links) {
      expect([link, (await vera.request(link)).status]).toEqual([link, 200]);
    }
  },
);

test.for(['state=shut', 'type=theft', 'severity=high', 'age=old'])(
  'a queue or a file of %s is not found, and not a whole one',
  async (query) => {
    const console = await consoleUnderTest();
    const fiona = await console.as('fiona');
    for (const path of ['/console/breaks', '/console/breaks.csv', '/console/breaks.xlsx']) {
      const answer = await fiona.request(`${path}?${query}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toContain('There is no such state, type, severity or age');
    }
    expect((await fiona.request('/console/breaks?state=&type=&severity=&age=')).status).toBe(200);
  },
);
