import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { CreditId } from '../../../../src/domain/ids.ts';
import { createTables } from '../../../../src/store/sqlite/file/database.ts';
import {
  DEPOSITS,
  depositOf,
  type DepositRow,
} from '../../../../src/store/sqlite/table/rows/deposit-row.ts';
import { ChangedRecords } from '../../../../src/store/sqlite/table/statement.ts';
import { DUE } from '../../../domain/records.ts';

const EXTRA = { hash_id: 1_000_000, first_seq: 1 };
const HOUR_MS = 3_600_000;

/** Another value for each member that no value of its column's type suits. */
const OTHERS: Partial<Deposit> = {
  evidence: 'none',
  approvals: [{ person: 'ann', reason: 'seen', at: 5 }],
  credit: { creditId: CreditId('crd_2'), amount: Amount(2n), creditedAt: 9, reference: 'ref' },
  state: 'internal',
  reason: 'dust',
  updatedAt: DUE.updatedAt + HOUR_MS,
};

/** Members that name the row, or never change. */
const FIXED: readonly (keyof Deposit)[] = ['depositId', 'firstSeenAt'];

/** Another value of the same column type. */
function otherThan(value: Deposit[keyof Deposit], type: string): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'bigint') return value + 1n;
  if (type.startsWith('INTEGER')) return Number(value ?? 0) + 1;
  return typeof value === 'string' ? `another ${value}` : 'another';
}

/** The deposit with another value in one member, for every member that a column keeps. */
const CHANGES = DEPOSITS.columns.flatMap(({ member, type }): [keyof Deposit, Deposit][] => {
  if (member === null || FIXED.includes(member)) return [];
  const other = OTHERS[member] ?? otherThan(DUE[member], type);
  return [[member, { ...DUE, [member]: other }]];
});

let db: Sqlite.Database;

beforeEach(() => {
  db = new Sqlite(':memory:');
  db.pragma('foreign_keys = OFF');
  createTables(db);
});
afterEach(() => db.close());

function writtenAfter(...changes: readonly Deposit[]): Deposit {
  db.exec('DELETE FROM deposits');
  const records = new ChangedRecords(db, DEPOSITS);
  changes.forEach((after, index) => records.write({ before: changes[index - 1], after }, EXTRA));
  const [row] = db.prepare<[], DepositRow>('SELECT * FROM deposits').all();
  if (row === undefined) throw new Error('no deposit was written');
  return depositOf(row);
}

test.for(CHANGES)('a deposit reads back correctly when only its %s changed', ([member, after]) => {
  expect(after[member]).not.toEqual(DUE[member]);
  expect(writtenAfter(DUE, after)).toEqual(after);
});

test('each change reads back when the confirmations change with it', () => {
  for (const [member, changed] of CHANGES) {
    const after = {
      ...DUE,
      confirmations: 99,
      updatedAt: DUE.updatedAt + 1,
      [member]: changed[member],
    };
    expect(writtenAfter(DUE, after)).toEqual(after);
  }
});

test('a deposit with another value in every member reads back unchanged', () => {
  const deposit = CHANGES.reduce<Deposit>(
    (other, [member, changed]) => ({ ...other, [member]: changed[member] }),
    DUE,
  );
  expect(Object.keys(deposit)).toEqual(Object.keys(DUE));
  expect(writtenAfter(deposit)).toEqual(deposit);
});

test('an update names only the changed columns, so that SQLite writes no other index', () => {
  const records = new ChangedRecords(db, DEPOSITS);
  records.write({ before: undefined, after: DUE }, EXTRA);
  db.exec("UPDATE deposits SET reason = 'dust'");
  records.write({ before: DUE, after: { ...DUE, confirmations: 99 } }, EXTRA);
  expect(db.prepare('SELECT confirmations, reason FROM deposits').get()).toEqual({
    confirmations: 99,
    reason: 'dust',
  });
});
