import { expect, test } from 'vitest';
import { readList } from '../../../src/custody/list/pages.ts';
import type { Page } from '../../../src/custody/list/row.ts';
import { MovingList, type Row } from './moving-list.ts';

test('a failed page makes the list incomplete, with what was read before', async () => {
  const list = new MovingList(300);
  list.spoil = (page, read) =>
    read === 2
      ? { kind: 'unavailable', cause: { kind: 'timeout', timeoutMs: 10_000 } }
      : { kind: 'ok', value: page };
  const read = await readList(list.reading());
  expect(read).toMatchObject({
    kind: 'incomplete',
    cause: { kind: 'unavailable', cause: { kind: 'timeout' } },
    requests: 2,
  });
  expect(read.rows.size).toBe(100);
});

test('a list that is not found is incomplete, not empty', async () => {
  const list = new MovingList(3);
  list.spoil = () => ({ kind: 'not-found' });
  expect(await readList(list.reading())).toMatchObject({
    kind: 'incomplete',
    cause: { kind: 'not-found' },
  });
});

test('a page that is cut once is read again', async () => {
  const list = new MovingList(250);
  list.spoil = (page, read) => ({
    kind: 'ok',
    value: read === 2 ? { ...page, rows: page.rows.slice(0, 20) } : page,
  });
  const read = await readList(list.reading());
  expect(read.kind).toBe('complete');
  expect(read.rows.size).toBe(250);
});

test.each([
  ['empty', (page: Page<Row>) => ({ ...page, rows: [] })],
  ['short', (page: Page<Row>) => ({ ...page, rows: page.rows.slice(1) })],
])('a page that stays %s is never the end of the list', async (_name, cut) => {
  const list = new MovingList(50);
  list.spoil = (page) => ({ kind: 'ok', value: cut(page) });
  expect(await readList(list.reading())).toMatchObject({
    kind: 'incomplete',
    cause: { kind: 'cut' },
    requests: 4,
  });
});

test('a service that sends another page than asked for is not believed', async () => {
  const list = new MovingList(500);
  list.spoil = (page) => ({ kind: 'ok', value: { ...page, page: 0 } });
  expect(await readList(list.reading())).toMatchObject({
    kind: 'incomplete',
    cause: { kind: 'malformed' },
  });
});

test('a service with smaller pages than the interface says is read in those', async () => {
  const list = new MovingList(300);
  const reading = list.reading({ pageSizeMax: 1_000 });
  const small = await readList({
    ...reading,
    read: ({ page, pageSize }) => reading.read({ page, pageSize: Math.min(pageSize, 50) }),
  });
  expect(small.kind).toBe('complete');
  expect(small.rows.size).toBe(300);
});

test('a list that never holds still ends as unstable', async () => {
  const list = new MovingList(300);
  let fresh = 0;
  list.before = () => {
    for (let count = 0; count < 400; count += 1) list.insertAtHead(`n${fresh++}`);
  };
  const read = await readList(list.reading());
  expect(read).toMatchObject({ kind: 'incomplete', cause: { kind: 'unstable' } });
});

test('a list without end is given up after a hundred requests', async () => {
  const list = new MovingList(100_000);
  const read = await readList(list.reading());
  expect(read).toMatchObject({ kind: 'incomplete', cause: { kind: 'too-long' }, requests: 100 });
});

test('an unreadable row is reported once, even when it is read again', async () => {
  const list = new MovingList(150);
  list.spoil = (page) => ({
    kind: 'ok',
    value: {
      ...page,
      rows: page.rows.filter(({ id }) => id !== 'r95'),
      unreadable: page.rows
        .filter(({ id }) => id === 'r95')
        .map(({ id }) => ({ id, detail: 'odd' })),
    },
  });
  const read = await readList(list.reading());
  expect(read).toMatchObject({ kind: 'complete', unreadable: [{ id: 'r95', detail: 'odd' }] });
  expect(read.rows.size).toBe(149);
});
