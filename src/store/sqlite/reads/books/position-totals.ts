import type { Database } from 'better-sqlite3';
import { plus, storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import { firstEntryIdOf } from '../../../../domain/ids.ts';
import type { SealedPositions } from '../../../port.ts';

/** The facts after `afterSeq`, up to `throughSeq`. */
interface Span {
  readonly afterSeq: number;
  readonly throughSeq: number;
}

/** Positions that moved in the day. The balance of one that moved since is not the day's. */
const MOVED = `a.kind = 'position' AND a.ledger_account IN (
    SELECT ledger_account FROM postings WHERE entry_id >= @from AND entry_id < @to)`;
const SINCE = 'SELECT ledger_account FROM postings WHERE entry_id >= @to';

interface Range {
  readonly from: number;
  readonly to: number;
}

function statementsOf(db: Database) {
  return {
    posted: db.prepare<[Range], Pick<SealedPositions, 'firstPostedAt' | 'lastPostedAt'>>(
      `SELECT min(posted_at) AS firstPostedAt, max(posted_at) AS lastPostedAt
       FROM entries WHERE entry_id >= @from AND entry_id < @to`,
    ),
    // Most positions have not moved since midnight, so their current balance is the total.
    unmovedSince: db
      .prepare<[Range], [number, string]>(
        `SELECT a.ledger_account, b.amount
       FROM ledger_accounts AS a JOIN balances AS b USING (ledger_account)
       WHERE ${MOVED} AND a.ledger_account NOT IN (${SINCE})`,
      )
      .raw(),
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

/** Computes the total of each position at the end of a day in which it moved. */
export class PositionTotals {
  readonly #ask: ReturnType<typeof statementsOf>;

  constructor(db: Database) {
    this.#ask = statementsOf(db);
  }

  /** `span`: the facts after the last closed day. The balances must hold all entries so far. */
  at(span: Span): SealedPositions {
    const range = rangeOf(span);
    const moved = new Map<number, Amount>();
    for (const { ledger_account: account, amount } of this.#ask.movedSince.iterate(range)) {
      moved.set(account, plus(moved.get(account) ?? ZERO, storedAmount(amount)));
    }
    const rows = this.#ask.unmovedSince.all(range);
    for (const [account, amount] of moved) {
      const before = storedAmount(this.#ask.before.get(account) ?? '0');
      rows.push([account, plus(before, amount).toString()]);
    }
    const none = { firstPostedAt: null, lastPostedAt: null };
    return { ...(this.#ask.posted.get(range) ?? none), rows };
  }
}

function rangeOf({ afterSeq, throughSeq }: Span): Range {
  return { from: firstEntryIdOf(afterSeq + 1), to: firstEntryIdOf(throughSeq + 1) };
}
