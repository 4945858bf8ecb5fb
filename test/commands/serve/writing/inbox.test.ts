import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { packed } from '../../../../src/commands/serve/writing/batch.ts';
import { Inbox, type Work } from '../../../../src/commands/serve/writing/inbox.ts';
import type { ToWriter } from '../../../../src/commands/serve/writing/messages.ts';
import { deliveryOf, START } from '../../../store/open-ledger.ts';

/** A message in short: a batch of so many facts, or another's kind. */
type Told = number | 'tidy' | 'close';

function messageOf(told: Told, id: number): ToWriter {
  if (typeof told !== 'number') return { kind: told };
  const facts = Array.from({ length: told }, () => deliveryOf('{}', START));
  return { kind: 'commit', batch: packed(id, facts, decode) };
}

/** Everything that an inbox has to do, in its order. */
function worksOf(told: readonly Told[], factsMax: number): Work[] {
  const inbox = new Inbox(factsMax);
  for (const [id, one] of told.entries()) inbox.put(messageOf(one, id));
  const works: Work[] = [];
  for (let work = inbox.take(); work !== undefined; work = inbox.take()) works.push(work);
  return works;
}

function factsIn(work: Work): number[] | string {
  if (work.kind !== 'commit') return work.kind;
  return work.batches.map(({ heads }) => heads.length / 2);
}

test.each<[string, Told[], (number[] | string)[]]>([
  ['nothing', [], []],
  ['one batch', [3], [[3]]],
  ['several batches go together', [3, 1, 2], [[3, 1, 2]]],
  ['up to the most facts of one commit', [6, 4, 1], [[6, 4], [1]]],
  ['a batch is not cut to fill a commit', [6, 5, 4], [[6], [5, 4]]],
  ['a smaller batch behind does not overtake', [6, 5, 1], [[6], [5, 1]]],
  ['a batch over the bound goes by itself', [1, 12, 1], [[1], [12], [1]]],
  ['what is no batch keeps its place', [1, 2, 'tidy', 3, 'close'], [[1, 2], 'tidy', [3], 'close']],
])('%s', (_, told, works) => {
  expect(worksOf(told, 10).map(factsIn)).toEqual(works);
});

test('what arrives later goes with what was left', () => {
  const inbox = new Inbox(10);
  inbox.put(messageOf(6, 1));
  inbox.put(messageOf(6, 2));
  expect(inbox.take()).toMatchObject({ batches: [{ id: 1 }] });
  inbox.put(messageOf(4, 3));
  expect(inbox.take()).toMatchObject({ batches: [{ id: 2 }, { id: 3 }] });
  expect(inbox.take()).toBeUndefined();
});

test('whatever is told, it is done once, in its order, and no two batches exceed a commit', () => {
  const told = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 14 }) },
    { weight: 1, arbitrary: fc.constantFrom('tidy' as const, 'close' as const) },
  );
  fc.assert(
    fc.property(fc.array(told), (all) => {
      const works = worksOf(all, 10);
      expect(works.map(factsIn).flat()).toEqual(all);
      for (const work of works) {
        if (work.kind !== 'commit' || work.batches.length === 1) continue;
        const facts = work.batches.reduce((sum, { heads }) => sum + heads.length / 2, 0);
        expect(facts).toBeLessThanOrEqual(10);
      }
    }),
  );
});
