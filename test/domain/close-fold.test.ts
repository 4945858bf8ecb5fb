import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amendFold, byCodePoint, foldDay } from '../../src/domain/close-fold.ts';
import { reportOf } from '../../src/domain/close-day.ts';
import type { HashFacts } from '../../src/domain/close/hash-facts.ts';
import { BlockchainHash } from '../../src/domain/ids.ts';
import { hash, inputs, NOT_READ, V1, V2 } from './close-inputs.ts';
import { line } from './day-lines.ts';

test('texts are in the order of their UTF-8 bytes, as SQLite has them', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{ffee}', '\u{1f600}', '0') });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(byCodePoint(left, right))).toBe(bytes);
    }),
  );
});

/** A deposit of which the chain view saw less. */
function deposit(name: string, own: boolean): HashFacts {
  const place = name < '0x5' ? V1 : V2;
  const seen = line(9n, { ...place, entryId: 2, view: 'chain', cause: 'chain' });
  const blockchainHash = BlockchainHash(name);
  return hash([], { blockchainHash, lines: [line(10n, place), seen], own });
}

test('a day looked at anew in part is the day looked at anew in whole', () => {
  const context = inputs({ record: NOT_READ });
  const names = ['0x1', '0x3', '0x5', '0x7', '0x9'];
  const some = fc.subarray(names);
  fc.assert(
    fc.property(some, some, (before, now) => {
      const hashesWhere = (own: readonly string[]): HashFacts[] =>
        names.map((name) => deposit(name, own.includes(name)));
      const changed = hashesWhere(now).filter(
        ({ blockchainHash }) => before.includes(blockchainHash) !== now.includes(blockchainHash),
      );
      const amended = amendFold(foldDay(hashesWhere(before), context), changed, context);
      const anew = foldDay(hashesWhere(now), context);
      expect(reportOf(context, amended)).toEqual(reportOf(context, anew));
    }),
  );
});
