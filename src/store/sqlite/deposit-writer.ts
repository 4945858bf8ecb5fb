import type { Database } from 'better-sqlite3';
import type { Deposit } from '../../domain/deposit.ts';
import type { Writes } from '../records.ts';
import { depositRow, hourOf } from './row.ts';
import { columnsBut, insertInto, updateOf } from './statement.ts';

const KEY = ['hash_id', 'deposit_id'] as const;

/** What a deposit is, whatever happens to it. */
const FIXED = [
  ...KEY,
  'first_seq',
  'vault_id',
  'network',
  'blockchain_hash',
  'account_id',
  'address_id',
  'memo',
  'asset',
  'first_seen_at',
] as const;

/** Where a deposit stands: columns of the indexes that are its work lists. */
const STANDING = [
  'state',
  'reason',
  'evidence',
  'change',
  'verified_at',
  'credit_id',
  'credited_at',
] as const;

function standsWhereItDid(before: Deposit, after: Deposit): boolean {
  return (
    before.state === after.state &&
    before.reason === after.reason &&
    before.evidence === after.evidence &&
    before.change === after.change &&
    before.verifiedAt === after.verifiedAt &&
    before.credit?.creditId === after.credit?.creditId
  );
}

/** Whether one more confirmation within the hour is all that changed. */
function isOnlyDeeper(before: Deposit, after: Deposit): boolean {
  return (
    hourOf(before.updatedAt) === hourOf(after.updatedAt) &&
    standsWhereItDid(before, after) &&
    before.credit === after.credit &&
    before.amount === after.amount &&
    before.transactionId === after.transactionId &&
    before.epoch === after.epoch &&
    before.ownTransfer === after.ownTransfer &&
    before.unattributed === after.unattributed &&
    before.attributedTo === after.attributedTo &&
    before.attributedBy === after.attributedBy &&
    before.decimalsChanged === after.decimalsChanged &&
    before.operatorHold === after.operatorHold &&
    before.approvals === after.approvals &&
    before.custodyConfirmations === after.custodyConfirmations &&
    before.creditsIssued === after.creditsIssued &&
    before.reversed === after.reversed &&
    before.requiredConfirmations === after.requiredConfirmations
  );
}

/**
 * Writes deposits. Nearly every notification only makes one deeper: its row is then brought up to
 * date, and the work lists that it is in are left alone.
 */
export class DepositWriter {
  readonly #insert;
  readonly #move;
  readonly #settle;
  readonly #deepen;

  constructor(db: Database) {
    this.#insert = insertInto(db, 'deposits');
    const moving = columnsBut(db, 'deposits', FIXED);
    this.#move = updateOf(db, 'deposits', { key: KEY, columns: moving });
    const settling = columnsBut(db, 'deposits', [...FIXED, ...STANDING]);
    this.#settle = updateOf(db, 'deposits', { key: KEY, columns: settling });
    this.#deepen = db.prepare<[number, number, number, string]>(
      `UPDATE deposits SET confirmations = ?, updated_at = ?
       WHERE hash_id = ? AND deposit_id = ?`,
    );
  }

  write({ before, after, hashId, seq }: Writes['deposits'][number]): void {
    if (before !== undefined && isOnlyDeeper(before, after)) {
      this.#deepen.run(after.confirmations, after.updatedAt, hashId, after.depositId);
      return;
    }
    const row = depositRow(after, { hash_id: hashId, first_seq: seq });
    if (before === undefined) this.#insert.run(row);
    else if (standsWhereItDid(before, after)) this.#settle.run(row);
    else this.#move.run(row);
  }
}
