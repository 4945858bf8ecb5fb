import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readList, readPages } from '../../../src/custody/list/pages.ts';
import { MovingList, type Row } from './moving-list.ts';

test('a list that fits on one page costs one request', async () => {
  const list = new MovingList(40);
  const read = await readList(list.reading());
  expect(read).toMatchObject({ kind: 'complete', requests: 1 });
  expect(read.rows.size).toBe(40);
});

test('an empty list is complete', async () => {
  const read = await readList(new MovingList(0).reading());
  expect(read).toMatchObject({ kind: 'complete', requests: 1 });
  expect(read.rows.size).toBe(0);
});

test('pages overlap, and each row is returned once', async () => {
  const list = new MovingList(450);
  const serviceCount: string[] = [];
  for await (const event of readPages(list.reading())) {
    if (event.kind === 'rows') serviceCount.push(...event.rows.map(({ id }) => id));
  }
  expect(serviceCount).toEqual(list.rows.map(({ id }) => id));
  expect(list.asked.slice(0, 3)).toEqual([
    { page: 0, pageSize: 100 },
    { page: 1, pageSize: 90 },
    { page: 2, pageSize: 85 },
  ]);
});

test('inserted rows cause no row to be returned twice or missed', async () => {
  const list = new MovingList(300);
  list.before = (read) => {
    if (read === 2) for (let count = 0; count < 5; count += 1) list.insertAtHead(`new${count}`);
  };
  const read = await readList(list.reading());
  expect(read.kind).toBe('complete');
  expect(new Set(read.rows.keys())).toEqual(new Set(list.rows.map(({ id }) => id)));
});

test('rows that leave the list pull others past the edge of a page, and none is missed', async () => {
  const list = new MovingList(300);
  list.before = (read) => {
    // More than the overlap, so that the page must be read again from further up.
    if (read === 2) for (let count = 0; count < 30; count += 1) list.remove(`r${count}`);
  };
  const read = await readList(list.reading());
  expect(read.kind).toBe('complete');
  for (const { id } of list.rows) expect(read.rows.has(id)).toBe(true);
});

test('the rows of a torn page do not prove that the next one joins', async () => {
  const list = new MovingList(300);
  list.before = (read) => {
    const [from, to] = { 2: [0, 30], 3: [30, 100] }[read] ?? [0, 0];
    for (let index = from ?? 0; index < (to ?? 0); index += 1) list.remove(`r${index}`);
  };
  const read = await readList(list.reading());
  expect(read.kind).toBe('complete');
  for (const { id } of list.rows) expect(read.rows.has(id)).toBe(true);
});

test('a row that moved to the tail does not prove that the page beginning with it joins', async () => {
  const list = new MovingList(145);
  list.before = (read) => {
    if (read === 5) list.update('r0', 'tail');
    if (read === 6) for (let index = 1; index < 43; index += 1) list.remove(`r${index}`);
  };
  const read = await readList(list.reading({ newestFirst: false, pageSizeMax: 40 }));
  expect(read.kind).toBe('complete');
  for (const { id } of list.rows) expect(read.rows.has(id)).toBe(true);
});

test('a row that moves to the head while we read further down is found there', async () => {
  const list = new MovingList(300);
  list.before = (read) => {
    if (read === 2) list.update('r250', 'head');
  };
  const read = await readList(list.reading());
  expect(read.kind).toBe('complete');
  expect(read.rows.get('r250')).toEqual({ id: 'r250', at: 301 });
});

test('a reading follows more than a page of new changes down to known rows', async () => {
  const list = new MovingList(300);
  list.before = (read) => {
    if (read === 4) for (let count = 0; count < 150; count += 1) list.insertAtHead(`new${count}`);
  };
  const read = await readList(list.reading());
  expect(read.kind).toBe('complete');
  expect(read.rows.size).toBe(450);
});

test('a list sorted oldest first is followed to its tail, where changed rows move', async () => {
  const list = new MovingList(300);
  list.before = (read) => {
    if (read === 3) for (const id of ['r3', 'r4', 'r260']) list.update(id, 'tail');
  };
  const read = await readList(list.reading({ newestFirst: false }));
  expect(read.kind).toBe('complete');
  expect(read.rows.size).toBe(300);
  expect(read.rows.get('r260')?.at).toBe(303);
});

test('reading stops at the given time and returns no older row', async () => {
  const list = new MovingList(5_000);
  const read = await readList(list.reading({ isPastEnd: (row) => row.at < 4_950 }));
  expect(read).toMatchObject({ kind: 'complete', requests: 1 });
  expect([...read.rows.values()].every((row) => row.at >= 4_950)).toBe(true);
  expect(read.rows.size).toBe(51);
});

const move = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('update' as const), at: fc.nat(400) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(400), count: fc.nat(60) }),
);

/** A seed whose readings mostly end; the property holds for any. */
const PINNED = { seed: 20260103, numRuns: 400 };

type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;
const insert = (count: number): Move => ({ kind: 'insert', count });
const removeAtHead = (count: number): Move => ({ kind: 'remove', at: 0, count });

/** Sequences that earlier, simpler rules for the seam were wrong about. */
const HARD: [number, Move[][], boolean][] = [
  [145, [[], [], [], [{ kind: 'update', at: 0 }], [removeAtHead(42)]], false],
  [41, [[], [insert(21), insert(19)], [insert(23), insert(38)]], true],
  [41, [[insert(31)], [insert(31)], [], [removeAtHead(12)]], true],
  [41, [[insert(20)], [insert(16)], [insert(4)], [], [insert(7), insert(19), insert(35)]], true],
];

test('a complete reading has every row of a list that changes between the reads', async () => {
  let complete = 0;
  const property = fc.asyncProperty(
    fc.integer({ min: 0, max: 400 }),
    fc.array(fc.array(move, { maxLength: 4 }), { maxLength: 12 }),
    fc.boolean(),
    async (count, moves, newestFirst) => {
      const list = new MovingList(count);
      let fresh = 0;
      list.before = (read) => {
        for (const one of moves[read - 2] ?? []) {
          if (one.kind === 'insert') {
            for (let index = 0; index < one.count; index += 1) {
              const id = `n${fresh++}`;
              if (newestFirst) list.insertAtHead(id);
              else list.rows.push({ id, at: 0 });
            }
          } else if (one.kind === 'remove') {
            list.rows.splice(one.at, one.count);
          } else {
            const row = list.rows[one.at];
            if (row !== undefined) list.update(row.id, newestFirst ? 'head' : 'tail');
          }
        }
      };
      const read = await readList(list.reading({ newestFirst, pageSizeMax: 40 }));
      if (read.kind === 'incomplete') return;
      complete += 1;
      for (const row of list.rows) expect(read.rows.get(row.id)).toEqual(row);
    },
  );
  await fc.assert(property, { ...PINNED, examples: HARD });
  // Giving up would make the property empty.
  expect(complete).toBeGreaterThan(PINNED.numRuns / 2);
  // Also with a new seed in each run. fast-check prints the seed when one fails.
  await fc.assert(property, { numRuns: 100 });
});

test('the last page of a reading is returned whole on request', async () => {
  const list = new MovingList(250);
  const isPastEnd = ({ at }: Row): boolean => at < 200;
  const cut = await readList(list.reading({ isPastEnd }));
  expect(cut.rows.size).toBe(51);
  const whole = await readList(list.reading({ isPastEnd, includesPastEnd: true }));
  expect(whole).toMatchObject({ kind: 'complete', requests: 1 });
  expect(whole.rows.size).toBe(100);
});

test('a row that is shown as it was long ago does not end the reading', async () => {
  const list = new MovingList(3_000);
  list.rows[7] = { id: 'r7', at: 1 };
  const read = await readList(list.reading({ isPastEnd: ({ at }) => at < 500 }));
  expect(read.rows.has('r2400')).toBe(true);
});
