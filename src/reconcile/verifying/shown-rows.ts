import type { CustodyRecord, CustodyTransaction } from '../../domain/custody.ts';
import type { TransactionId } from '../../domain/ids.ts';

/** For this long after a row was read, nobody asks for its transaction singly. */
const SHOWN_MS = 900_000;

/** Rows remembered; the oldest are forgotten first. */
const ROWS_MAX = 300_000;

interface Shown {
  readonly updatedAt: number;
  /** Differs when the row says more: a row grows deeper, and gets its amounts, without a new time. */
  readonly version: string;
  readonly at: number;
}

function versionOf({ updatedAt, status, confirmations, changes }: CustodyTransaction): string {
  return `${updatedAt} ${status} ${confirmations} ${changes === null ? 'pending' : 'told'}`;
}

/** Which version of each transaction the custody API has shown last. */
export class ShownRows {
  readonly #now: () => number;
  readonly #rows = new Map<TransactionId, Shown>();

  /** `now`: wall clock, Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers rows, and returns those that say something new. */
  see(rows: Iterable<CustodyTransaction>): CustodyTransaction[] {
    const at = this.#now();
    const news: CustodyTransaction[] = [];
    for (const row of rows) {
      if (!this.isNewest(row)) continue;
      const version = versionOf(row);
      if (this.#rows.get(row.transactionId)?.version !== version) news.push(row);
      this.#rows.delete(row.transactionId);
      this.#rows.set(row.transactionId, { updatedAt: row.updatedAt, version, at });
    }
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= ROWS_MAX) break;
      this.#rows.delete(oldest);
    }
    return news;
  }

  /** Whether the API has shown this transaction within the last quarter of an hour. */
  has(transactionId: TransactionId): boolean {
    const shown = this.#rows.get(transactionId);
    return shown !== undefined && this.#now() - shown.at < SHOWN_MS;
  }

  /** Whether a record rests on the newest version of its row. */
  isCurrent(record: CustodyRecord): boolean {
    const row = 'transaction' in record ? record.transaction : null;
    return row === null || this.isNewest(row);
  }

  /** Whether nobody has read a newer version of this row: evidence must not go backwards. */
  isNewest({ transactionId, updatedAt }: CustodyTransaction): boolean {
    return (this.#rows.get(transactionId)?.updatedAt ?? updatedAt) <= updatedAt;
  }
}
