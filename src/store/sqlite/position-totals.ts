import type { Database } from 'better-sqlite3';
import { plus, storedAmount, ZERO, type Amount } from '../../domain/amount.ts';
import { firstEntryIdOf } from '../../domain/ids.ts';
import { insertInto } from './statement.ts';

/** Entries of the facts after `afterSeq`, up to `throughSeq`. */
interface Span {
  readonly afterSeq: number;
  readonly throughSeq: number;
}

/** When the first and the last entry of a span were posted; null where it has none. */
export interface PostedBetween {
  readonly firstPostedAt: number | null;
  readonly lastPostedAt: number | null;
}

/** A position has moved in the day; whether it has moved since, its balance tells no more. */
const MOVED = `a.kind = 'position' AND a.ledger_account IN (
    SELECT ledger_account FROM postings WHERE entry_id >= @from AND entry_id < @to)`;
const SINCE = 'SELECT ledger_account FROM postings WHERE entry_id >= @to';

interface Range {
  readonly from: number;
  readonly to: number;
}

function statementsOf(db: Database) {
  return {
    posted: db.prepare<[Range], PostedBetween>(
      `SELECT min(posted_at) AS firstPostedAt, max(posted_at) AS lastPostedAt
       FROM entries WHERE entry_id >= @from AND entry_id < @to`,
    ),
    // Most have not moved since midnight: their balance of now is copied, and never summed, in SQL.
    copy: db.prepare<[Range & { day: string }]>(
      `INSERT INTO position_totals (ledger_account, day, amount)
       SELECT a.ledger_account, @day, b.amount
       FROM ledger_accounts AS a JOIN balances AS b USING (ledger_account)
       WHERE ${MOVED} AND a.ledger_account NOT IN (${SINCE})`,
    ),
    movedSince: db.prepare<[Range], { ledger_account: number; amount: string }>(
      `SELECT p.ledger_account, p.amount FROM postings AS p
         JOIN ledger_accounts AS a USING (ledger_account)
       WHERE p.entry_id >= @from AND p.entry_id < @to AND a.kind = 'position'
         AND p.ledger_account IN (${SINCE})
       ORDER BY p.entry_id, p.line`,
    ),
    before: db
      .prepare<[number], string>(
        `SELECT amount FROM position_totals WHERE ledger_account = ?
         ORDER BY day DESC LIMIT 1`,
      )
      .pluck(),
  };
}

/** Seals what each position held at the end of a day in which it moved. */
export class PositionTotals {
  readonly #ask: ReturnType<typeof statementsOf>;
  readonly #insert;

  constructor(db: Database) {
    this.#ask = statementsOf(db);
    this.#insert = insertInto(db, 'position_totals');
  }

  postedBetween(span: Span): PostedBetween {
    const none = { firstPostedAt: null, lastPostedAt: null };
    return this.#ask.posted.get(rangeOf(span)) ?? none;
  }

  /** After the balances hold every entry of the day, and the day is in `daily_closes`. */
  seal(day: string, span: Span): void {
    const range = rangeOf(span);
    const moved = new Map<number, Amount>();
    for (const { ledger_account: account, amount } of this.#ask.movedSince.iterate(range)) {
      moved.set(account, plus(moved.get(account) ?? ZERO, storedAmount(amount)));
    }
    this.#ask.copy.run({ ...range, day });
    for (const [account, amount] of moved) {
      const before = storedAmount(this.#ask.before.get(account) ?? '0');
      this.#insert.run({ ledger_account: account, day, amount: plus(before, amount).toString() });
    }
  }
}

function rangeOf({ afterSeq, throughSeq }: Span): Range {
  return { from: firstEntryIdOf(afterSeq + 1), to: firstEntryIdOf(throughSeq + 1) };
}
