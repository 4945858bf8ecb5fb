import type { Database } from 'better-sqlite3';
import type { Break } from '../../../domain/break/break.ts';
import type { Deposit } from '../../../domain/deposit/deposit.ts';
import type { Withdrawal } from '../../../domain/withdrawal/withdrawal.ts';
import type { Oldest } from '../../answers.ts';
import type { RecordSource } from '../../port.ts';
import { type DepositRow, depositOf, hourOf, TO_REVERSE } from '../table/rows/deposit-row.ts';
import { type WithdrawalRow, withdrawalOf } from '../table/rows/withdrawal-row.ts';
import { type BreakRow, breakOf } from '../table/rows/break-row.ts';

/** Repeats the condition of the index `deposits_idle`: SQLite's planner compares the text. */
const IDLE_DEPOSIT = `(state = 'detected' OR state = 'confirming' OR state = 'verifying'
  OR (state = 'held' AND (verified_at IS NULL OR reason = 'approval_required')))`;
/** Repeats the condition of the index `withdrawals_idle`. */
export const IDLE_WITHDRAWAL = `(status IS NULL
  OR status <> 'mined' AND status <> 'failed' AND status <> 'cancelled' AND status <> 'replaced'
     AND status <> 'rolledback')`;

/** Largest exact total: a run counts inside the writer, and webhooks wait for it. */
const COUNTED_MAX = 100_000;

/** Each statement uses its own index. */
function ageStatementsOf(db: Database) {
  return {
    breaksOpenedUntil: db.prepare<[string, string, number, number], BreakRow>(
      `SELECT * FROM breaks WHERE state <> 'resolved' AND severity = ? AND original_severity = ?
         AND opened_at <= ? ORDER BY opened_at, length(break_id), break_id LIMIT ?`,
    ),
    idleDeposits: db.prepare<[number, number, number], DepositRow>(
      `SELECT * FROM deposits WHERE ${IDLE_DEPOSIT} AND updated_hour <= ? AND updated_at <= ?
       ORDER BY updated_hour, hash_id, deposit_id LIMIT ?`,
    ),
    idleDepositCount: db
      .prepare<[number, number, number], number>(
        `SELECT (SELECT count(*) FROM (SELECT 1 FROM deposits
                 WHERE ${IDLE_DEPOSIT} AND updated_hour < ? LIMIT ${COUNTED_MAX}))
           + (SELECT count(*) FROM (SELECT 1 FROM deposits
              WHERE ${IDLE_DEPOSIT} AND updated_hour = ? AND updated_at <= ? LIMIT ${COUNTED_MAX}))`,
      )
      .pluck(),
    unreversed: db.prepare<[number, number], DepositRow>(
      `SELECT * FROM deposits WHERE ${TO_REVERSE} AND updated_at <= ?
       ORDER BY updated_at, deposit_id LIMIT ?`,
    ),
    unreversedCount: db
      .prepare<[number], number>(
        `SELECT count(*) FROM deposits WHERE ${TO_REVERSE} AND updated_at <= ?`,
      )
      .pluck(),
    idleWithdrawals: db.prepare<[number, number], WithdrawalRow>(
      `SELECT * FROM withdrawals WHERE ${IDLE_WITHDRAWAL} AND updated_at <= ?
       ORDER BY updated_at, transaction_id LIMIT ?`,
    ),
    idleWithdrawalCount: db
      .prepare<[number], number>(
        `SELECT count(*) FROM (SELECT 1 FROM withdrawals
         WHERE ${IDLE_WITHDRAWAL} AND updated_at <= ? LIMIT ${COUNTED_MAX})`,
      )
      .pluck(),
  };
}

/** Reads idle deposits and withdrawals, and breaks that have been open for long. */
export class AgeRecords {
  readonly #ask: ReturnType<typeof ageStatementsOf>;

  constructor(db: Database) {
    this.#ask = ageStatementsOf(db);
  }

  /** Unresolved breaks, the oldest first. */
  breaksOpenedUntil(
    due: Parameters<RecordSource['ages']['breaksOpenedUntil']>[0],
  ): readonly Break[] {
    const { severity, originalSeverity, openedUntil, limit } = due;
    return this.#ask.breaksOpenedUntil
      .all(severity, originalSeverity, openedUntil, limit)
      .map(breakOf);
  }

  /** Deposits that may still change and have not since `until` (Unix milliseconds), oldest first. */
  idleDeposits(until: number, limit: number): Oldest<Deposit> {
    const hour = hourOf(until);
    const items = this.#ask.idleDeposits.all(hour, until, limit).map(depositOf);
    return counted(items, limit, () => this.#ask.idleDepositCount.get(hour, hour, until));
  }

  /** Deposits whose credit waits for its reversal since `until` (Unix milliseconds), oldest first. */
  unreversedDeposits(until: number, limit: number): Oldest<Deposit> {
    const items = this.#ask.unreversed.all(until, limit).map(depositOf);
    return counted(items, limit, () => this.#ask.unreversedCount.get(until));
  }

  /** Unfinished withdrawals unchanged since `until` (Unix milliseconds), oldest first. */
  idleWithdrawals(until: number, limit: number): Oldest<Withdrawal> {
    const items = this.#ask.idleWithdrawals.all(until, limit).map(withdrawalOf);
    return counted(items, limit, () => this.#ask.idleWithdrawalCount.get(until));
  }
}

/** The oldest rows, and how many there are in all: they are counted only where the limit cut them. */
function counted<Row>(
  items: readonly Row[],
  limit: number,
  count: () => number | undefined,
): Oldest<Row> {
  return { items, total: items.length < limit ? items.length : (count() ?? 0) };
}
