import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import type { Deposit, DepositKey } from '../../src/domain/deposit.ts';
import { CreditId, TransactionId } from '../../src/domain/ids.ts';
import { createTables } from '../../src/store/sqlite/database.ts';
import { DepositWriter } from '../../src/store/sqlite/deposit-writer.ts';
import { depositOf } from '../../src/store/sqlite/row.ts';
import type { DepositRow } from '../../src/store/sqlite/tables.ts';
import { DUE } from '../domain/records.ts';

const HASH_ID = 1_000_000;
const HOUR_MS = 3_600_000;

/** Everything about a deposit but what it is: its writer has to know each of them by name. */
type Changing = Omit<Deposit, keyof DepositKey | 'depositId' | 'firstSeenAt'>;

/** Another value for everything about a deposit that can change. */
const CHANGES: [keyof Deposit, Partial<Deposit>][] = Object.entries({
  transactionId: TransactionId('another'),
  amount: Amount(101n),
  epoch: DUE.epoch + 1,
  evidence: 'none',
  confirmations: DUE.confirmations + 1,
  change: !DUE.change,
  ownTransfer: !DUE.ownTransfer,
  unattributed: !DUE.unattributed,
  attributedTo: 'somebody',
  attributedBy: 'ann',
  decimalsChanged: !DUE.decimalsChanged,
  operatorHold: 'a reason',
  approvals: [{ person: 'ann', reason: 'seen', at: 5 }],
  verifiedAt: 77,
  custodyConfirmations: DUE.custodyConfirmations + 1,
  credit: { creditId: CreditId('crd_2'), amount: Amount(2n), creditedAt: 9, reference: null },
  creditsIssued: DUE.creditsIssued + 1,
  reversed: CreditId('crd_1'),
  state: 'internal',
  reason: 'dust',
  requiredConfirmations: DUE.requiredConfirmations + 1,
  updatedAt: DUE.updatedAt + HOUR_MS,
} satisfies Changing).map(([name, value]) => [name as keyof Deposit, { [name]: value }]);

function writtenAfter(changes: readonly Deposit[]): Deposit {
  const db = new Sqlite(':memory:');
  db.pragma('foreign_keys = OFF');
  createTables(db);
  const writer = new DepositWriter(db);
  let before: Deposit | undefined;
  for (const after of changes) {
    writer.write({ before, after, hashId: HASH_ID, seq: 1 });
    before = after;
  }
  const [row] = db.prepare<[], DepositRow>('SELECT * FROM deposits').all();
  db.close();
  if (row === undefined) throw new Error('no deposit was written');
  return depositOf(row);
}

test.for(CHANGES)('a deposit of which only %s changed is read back as it is', ([name, change]) => {
  const after = { ...DUE, ...change };
  expect(after[name]).not.toEqual(DUE[name]);
  expect(writtenAfter([DUE, after])).toEqual(after);
});

test('each change is read back when it comes with one more confirmation', () => {
  for (const [, change] of CHANGES) {
    const after = { ...DUE, confirmations: 99, updatedAt: DUE.updatedAt + 1, ...change };
    expect(writtenAfter([DUE, after])).toEqual(after);
  }
});
