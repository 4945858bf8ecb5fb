import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { Deposit, DepositKey } from '../../../../src/domain/deposit/deposit.ts';
import { CreditId, TransactionId } from '../../../../src/domain/ids.ts';
import { createTables } from '../../../../src/store/sqlite/file/database.ts';
import { depositOf, depositRow } from '../../../../src/store/sqlite/table/row.ts';
import { ChangedRows } from '../../../../src/store/sqlite/table/statement.ts';
import type { DepositRow } from '../../../../src/store/sqlite/table/tables.ts';
import { DUE } from '../../../domain/records.ts';

const KEY = { hash_id: 1_000_000, first_seq: 1 };
const HOUR_MS = 3_600_000;

/** The members of a deposit that may change. */
type Changing = Omit<Deposit, keyof DepositKey | 'depositId' | 'firstSeenAt'>;

/** Another value for each of these members. */
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
  const rows = new ChangedRows(db, 'deposits', ['hash_id', 'deposit_id']);
  let before: Deposit | undefined;
  for (const after of changes) {
    rows.write(before && depositRow(before, KEY), depositRow(after, KEY));
    before = after;
  }
  const [row] = db.prepare<[], DepositRow>('SELECT * FROM deposits').all();
  db.close();
  if (row === undefined) throw new Error('no deposit was written');
  return depositOf(row);
}

test.for(CHANGES)('a deposit reads back correctly when only its %s changed', ([name, change]) => {
  const after = { ...DUE, ...change };
  expect(after[name]).not.toEqual(DUE[name]);
  expect(writtenAfter([DUE, after])).toEqual(after);
});

test('each change reads back when the confirmations change with it', () => {
  for (const [, change] of CHANGES) {
    const after = { ...DUE, confirmations: 99, updatedAt: DUE.updatedAt + 1, ...change };
    expect(writtenAfter([DUE, after])).toEqual(after);
  }
});

test('an update names only the changed columns, so that SQLite writes no other index', () => {
  const db = new Sqlite(':memory:');
  createTables(db);
  const rows = new ChangedRows(db, 'deposits', ['hash_id', 'deposit_id']);
  db.pragma('foreign_keys = OFF');
  rows.write(undefined, depositRow(DUE, KEY));
  db.exec("UPDATE deposits SET reason = 'dust'");
  rows.write(depositRow(DUE, KEY), depositRow({ ...DUE, confirmations: 99 }, KEY));
  expect(db.prepare('SELECT confirmations, reason FROM deposits').get()).toEqual({
    confirmations: 99,
    reason: 'dust',
  });
  db.close();
});
