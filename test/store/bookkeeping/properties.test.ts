import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { decode } from '../../../src/intake/decode.ts';
import { checkKeys } from '../../../src/store/sqlite/audit/keys.ts';
import { compareProjections } from '../../../src/store/sqlite/audit/projections.ts';
import { SqliteLedger } from '../../../src/store/sqlite/sqlite-ledger.ts';
import type { EntryRow } from '../../../src/store/sqlite/table/ledger-tables.ts';
import type { MovementRow } from '../../../src/store/sqlite/table/rows/movement-row.ts';
import type { OwnHashRow } from '../../../src/store/sqlite/table/rows/withdrawal-row.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import { choices, type Choices } from '../generated-choices.ts';
import { closesOf } from '../close/closing.ts';
import { OpenLedger, START, temporaryPath } from '../open-ledger.ts';
import { played } from './random-steps.ts';
import { expectSound } from './soundness.ts';

/** A few seconds on a quiet machine; a busy one must not fail what is only slow. */
const PATIENCE_MS = 240_000;
/** The worlds of each property; fewer where each commit is applied by a follower too. */
const SHARE = { shared: 0.1, postgres: 0.05 }[inject('store') ?? ''] ?? 0.6;
/** Ends a search for a smaller counterexample too; it is printed with its seed either way. */
const BOUNDED = { interruptAfterTimeLimit: 60_000 };

/** The same facts, cut into other commits. */
async function rebatched(facts: readonly Fact[], from: Choices): Promise<OpenLedger> {
  const open = new OpenLedger();
  for (let start = 0; start < facts.length;) {
    const size = 1 + from.below(12);
    await open.commit(facts.slice(start, start + size));
    start += size;
  }
  return open;
}

/**
 * The same facts where every third commit or so fails at its very end, or is the first after the
 * store was opened anew.
 */
async function withFailures(facts: readonly Fact[], from: Choices): Promise<OpenLedger> {
  // Ledgers that are opened anew write this store directly.
  const open = new OpenLedger(undefined, { sharing: null });
  const reopened = (): SqliteLedger =>
    new SqliteLedger(open.db, {
      decode,
      now: () => START,
      keysKeptMax: 1 + from.below(6),
      askedForMax: from.below(30),
    });
  let ledger = reopened();
  for (let start = 0; start < facts.length;) {
    const batch = facts.slice(start, start + 1 + from.below(12));
    if (from.oneIn(3)) {
      open.db.exec(
        `CREATE TRIGGER failure BEFORE INSERT ON seals
         BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`,
      );
      const isTaken = await ledger.commit(batch).then(
        ({ kind }) => kind === 'committed',
        (error: unknown) => !String(error).includes('the disk is gone'),
      );
      // What only repeats journals nothing, so that nothing of it can fail.
      open.db.exec('DROP TRIGGER failure');
      if (isTaken) {
        start += batch.length;
        continue;
      }
    }
    if (from.oneIn(3)) ledger = reopened();
    await ledger.commit(batch);
    start += batch.length;
  }
  return open;
}

test(
  'any order and batching gives exact books, safe credits and one replay',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, world } = await played(stream);
      expect(play.witness.wrongs).toEqual([]);
      expectSound(play.open, world);
      play.open.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(120 * SHARE), ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'how facts share commits changes nothing',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, from } = await played(stream);
      const again = await rebatched(play.facts, from);
      expect(compareProjections(play.open.db, again.db).problems).toEqual([]);
      again.close();
      play.open.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(60 * SHARE), ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'commits that fail in the middle, and opening the store again, change nothing',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, from } = await played(stream);
      const again = await withFailures(play.facts, from);
      expect(compareProjections(play.open.db, again.db).problems).toEqual([]);
      expect(checkKeys(again.db).problems).toEqual([]);
      again.close();
      play.open.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(60 * SHARE), ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'the audit of every store finds nothing, and its replay is the store',
  async () => {
    const path = temporaryPath();
    const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play } = await played(stream);
      writeFileSync(path, play.open.db.serialize());
      const report = verify(path, { decode, progress });
      expect(
        report.checks.flatMap(({ check, problems }) => problems.map((one) => [check, one])),
      ).toEqual([]);
      play.open.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(30 * SHARE), ...BOUNDED });
  },
  PATIENCE_MS,
);

test.runIf(inject('store') === undefined)(
  'the generated traffic covers every kind of event',
  async () => {
    const wanted = [
      'credit',
      'reversal',
      'internal',
      'rolled_back',
      'approval_required',
      'operator_hold',
    ];
    const more = [
      'unattributed_memo',
      'vault_not_credited',
      'dust',
      'halted',
      'failed-fee',
      'amount_mismatch',
      'suspense',
      'reversal',
      'reclassified',
      'timing',
      'unexplained',
      'exempt',
      'internal leg in transit',
      'change leg in transit',
      'internal credit in transit',
      'internal debit in transit',
      'unconfirmed',
      'after the cut-off',
      'dated by delivery',
      'dated by block',
      'balanced with open differences',
      'exceptions',
      'balanced',
      'unknown_to_custody',
      'custody_agrees',
      'confirmed',
    ];
    const seen = new Set<string>();
    const lacking = (): string[] => [...wanted, ...more].filter((one) => !seen.has(one));
    for (const stream of fc.sample(choices, { numRuns: 240, seed: 7 })) {
      if (lacking().length === 0) break;
      const { play } = await played(stream);
      for (const { state, reason } of play.open.deposits()) seen.add(reason ?? state);
      for (const { kind } of play.open.feed()) seen.add(kind);
      for (const { cause } of play.open.rows<EntryRow>('SELECT * FROM entries')) seen.add(cause);
      for (const { type } of play.open.breaks()) seen.add(type);
      for (const { parsed } of closesOf(play.open)) {
        for (const { reason } of parsed.priorDay) seen.add(reason);
        for (const { explanation } of parsed.differences) seen.add(explanation);
        for (const { kind, leg } of parsed.inTransit) {
          seen.add(`${kind} ${leg ?? 'leg'} in transit`);
        }
        if ((parsed.unconfirmed ?? []).length > 0) seen.add('unconfirmed');
        if ((parsed.custodyAfterCutOff ?? []).length > 0) seen.add('after the cut-off');
        for (const { datedBy } of parsed.priorDay) seen.add(`dated by ${datedBy ?? 'nothing'}`);
        seen.add(parsed.status);
      }
      for (const { agreement } of play.open.rows<MovementRow>('SELECT * FROM movements')) {
        seen.add(agreement);
      }
      for (const { certainty } of play.open.rows<OwnHashRow>('SELECT * FROM own_hashes')) {
        seen.add(certainty);
      }
      play.open.close();
    }
    expect(lacking()).toEqual([]);
  },
  PATIENCE_MS,
);
