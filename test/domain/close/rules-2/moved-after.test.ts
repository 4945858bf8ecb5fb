import { expect, test } from 'vitest';
import type { CloseRecord, CountedEffect } from '../../../../src/domain/close/record.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { AssetId, TransactionId } from '../../../../src/domain/ids.ts';
import { CUT_OFF, HASH_KEY, line } from '../day-lines.ts';
import { closeDay, hash, inputs, RECORD, V1 } from '../inputs.ts';

const USDC = AssetId('ethereum:USDC');
const OPEN = 'balanced with open differences';
const ANOTHER = '600 in_grace: the custody API moved another amount after the cut-off';
const AFTER = '600 timing: the custody API moved it after the cut-off';

/** The day's verdict on a hash of which the books hold 600 at the cut-off. */
function verdictOn(given: {
  readonly moved: Readonly<Record<string, bigint>>;
  readonly bookedSince?: bigint;
  readonly old?: boolean;
  /** The times of another transaction of the hash, which moves nothing now. */
  readonly undone?: Pick<CountedEffect, 'at' | 'updatedAt'>;
}): string[] {
  const { moved, bookedSince, old = false, undone } = given;
  const head = { transactionId: TransactionId('tx'), kind: 'incoming' as const };
  const time = { at: CUT_OFF + 1, datedBy: 'block' as const };
  const { vaultId } = V1;
  const amounts = Object.entries(moved).map(([asset, amount]) => ({
    asset: AssetId(asset),
    amount: Amount(amount),
  }));
  const parts = amounts.map((one) => ({ ...one, vaultId, ...head, ...time }));
  const updatedAt = CUT_OFF + 1;
  const counted: CountedEffect[] = [{ ...HASH_KEY, vaultId, ...head, ...time, amounts, updatedAt }];
  if (undone !== undefined) {
    const transactionId = TransactionId('undone');
    counted.push({ ...HASH_KEY, vaultId, ...head, transactionId, amounts: [], ...undone });
  }
  const record: CloseRecord = {
    ...RECORD,
    rules: 2,
    custody: { ...RECORD.custody, counted },
    ...(old ? {} : { timingAgrees: true }),
  };
  const since = { entryId: 2, seq: 31, postedAt: CUT_OFF };
  const lines = [line(600n), ...(bookedSince === undefined ? [] : [line(bookedSince, since)])];
  const facts = hash(lines, { custody: parts, after: parts });
  const report = closeDay(inputs({ record, hashes: [facts], custodyMoved: parts }));
  const custody = report.differences.filter(({ against }) => against === 'custody');
  return [
    report.status,
    ...custody.map(
      ({ difference, explanation, detail }) => `${difference} ${explanation}: ${detail}`,
    ),
  ];
}

test.for([
  ['of another amount', { moved: { [V1.asset]: 700n } }, OPEN, ANOTHER],
  ['of another asset', { moved: { [USDC]: 700n } }, OPEN, ANOTHER],
  [
    'of what the books hold by now',
    { moved: { [V1.asset]: 700n }, bookedSince: 100n },
    'balanced',
    AFTER,
  ],
  ['that is undone', { moved: {} }, 'balanced', AFTER],
  [
    'beside one that moved at the cut-off and is undone',
    { moved: { [V1.asset]: 700n }, undone: { at: CUT_OFF, updatedAt: CUT_OFF + 1 } },
    'balanced',
    AFTER,
  ],
  [
    'beside one without a time that changed at the cut-off and is undone',
    { moved: { [V1.asset]: 700n }, undone: { updatedAt: CUT_OFF } },
    'balanced',
    AFTER,
  ],
  [
    'beside one that moved before the cut-off and is undone',
    { moved: { [V1.asset]: 700n }, undone: { at: CUT_OFF - 1, updatedAt: CUT_OFF + 1 } },
    OPEN,
    ANOTHER,
  ],
  ['in a day closed before', { moved: { [V1.asset]: 700n }, old: true }, 'balanced', AFTER],
] as const)(
  'a movement at custody after the cut-off, %s: how the day ends',
  ([, given, status, difference]) => {
    expect(verdictOn(given)).toEqual([status, difference]);
  },
);
