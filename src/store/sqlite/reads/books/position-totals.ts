import type { Database } from 'better-sqlite3';
import { plus, storedAmount, ZERO } from '../../../../domain/money/amount.ts';
import { firstEntryIdOf } from '../../../../domain/ids.ts';
import type { PositionTotal, SealedPositions } from '../../../port.ts';
import type { LedgerAccountRow } from '../../table/ledger-tables.ts';
import { ledgerAccountOf } from '../../table/rows/ledger-account-row.ts';

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

type AmountRow = LedgerAccountRow & { readonly amount: string };

function statementsOf(db: Database) {
  return {
    posted: db.prepare<[Range], Pick<SealedPositions, 'firstPostedAt' | 'lastPostedAt'>>(
      `SELECT min(posted_at) AS firstPostedAt, max(posted_at) AS lastPostedAt
       FROM entries WHERE entry_id >= @from AND entry_id < @to`,
    ),
    // Most positions have not moved since midnight, so their current balance is the total.
    unmovedSince: db.prepare<[Range], AmountRow>(
      `SELECT a.*, b.amount
       FROM ledger_accounts AS a JOIN balances AS b USING (ledger_account)
       WHERE ${MOVED} AND a.ledger_account NOT IN (${SINCE})`,
    ),
    movedSince: db.prepare<[Range], AmountRow>(
      `SELECT a.*, p.amount FROM postings AS p
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
    const moved = new Map<number, PositionTotal>();
    for (const row of this.#ask.movedSince.iterate(range)) {
      const total = moved.get(row.ledger_account) ?? this.#before(row);
      moved.set(row.ledger_account, {
        ...total,
        amount: plus(total.amount, storedAmount(row.amount)),
      });
    }
    const unmoved = this.#ask.unmovedSince
      .all(range)
      .map((row) => ({ account: ledgerAccountOf(row), amount: storedAmount(row.amount) }));
    const none = { firstPostedAt: null, lastPostedAt: null };
    return { ...(this.#ask.posted.get(range) ?? none), totals: [...unmoved, ...moved.values()] };
  }

  /** A position at the end of the last closed day in which it moved. */
  #before(row: LedgerAccountRow): PositionTotal {
    const amount = this.#ask.before.get(row.ledger_account);
    return {
      account: ledgerAccountOf(row),
      amount: amount === undefined ? ZERO : storedAmount(amount),
    };
  }
}

function rangeOf({ afterSeq, throughSeq }: Span): Range {
  return { from: firstEntryIdOf(afterSeq + 1), to: firstEntryIdOf(throughSeq + 1) };
}
