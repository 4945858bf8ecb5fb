import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { packed, unpacked } from '../../../../src/commands/serve/writing/batch.ts';
import type { Submission } from '../../../../src/store/port.ts';
import { openScratch } from '../../../../src/store/sqlite/database.ts';
import { JournalReader } from '../../../../src/store/sqlite/journal-reader.ts';
import { JournalWriter } from '../../../../src/store/sqlite/journal-writer.ts';
import { deliveryOf, START } from '../../../store/open-ledger.ts';

const delivered = fc
  .oneof(
    { weight: 12, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 3_000, maxLength: 40_000 }) },
  )
  .map((raw): Submission => deliveryOf(raw, START));
const decided = fc.constant<Submission>({
  kind: 'decision',
  at: START,
  actor: 'ann',
  decision: { kind: 'restored', reason: 'x' },
});
const submissions = fc.array(
  fc.oneof({ weight: 20, arbitrary: delivered }, { weight: 1, arbitrary: decided }),
  { maxLength: 80 },
);

const plain = (all: readonly Submission[]) =>
  all.map((one) =>
    one.kind === 'delivery' ? Buffer.from(one.raw).toString('hex') : JSON.stringify(one),
  );

test('a batch crosses as it is, and whoever journals any part of it finds every body in its block', () => {
  fc.assert(
    fc.property(submissions, fc.infiniteStream(fc.boolean()), (all, chance) => {
      const arrived = unpacked(packed(1, all, decode));
      expect(plain(arrived)).toEqual(plain(all));
      // Repeats are not journalled.
      const taken = arrived.flatMap((one) =>
        one.kind === 'delivery' && chance.next().value === true ? [one] : [],
      );
      const db = openScratch(':memory:');
      const rows = taken.map(({ raw, packed: at }, index) => ({
        seq: index + 1,
        kind: 'notification' as const,
        recordedAt: START,
        detail: null,
        body: raw,
        ...(at === undefined ? {} : { packed: at }),
      }));
      new JournalWriter(db).append(rows);
      const read = [...new JournalReader(db).all()].map(({ body }) => Buffer.from(body));
      expect(read).toEqual(taken.map(({ raw }) => Buffer.from(raw)));
      db.close();
    }),
    { numRuns: 60 },
  );
});

test('sixteen neighbours are packed on the way; fewer, larger ones and those with a defect are not', () => {
  const small = (count: number) =>
    Array.from({ length: count }, () => deliveryOf('{"a":1}', START));
  const withDefect = { ...deliveryOf('{}', START), defect: 'a bug' };
  const blocksOf = (all: readonly Submission[]) =>
    packed(1, all, decode).blocks.map(({ index, item }) => [index, item.bytes]);
  expect(blocksOf(small(15))).toEqual([]);
  expect(blocksOf(small(40))).toEqual([
    [0, 112],
    [16, 112],
  ]);
  expect(blocksOf([...small(15), withDefect, ...small(17)])).toEqual([[16, 112]]);
  const large = deliveryOf(new Uint8Array(30_000), START);
  expect(blocksOf([...small(3), large, large, ...small(15)])).toEqual([[4, 30_105]]);
});
