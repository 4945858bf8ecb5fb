import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';

/** Most rows in one queue, some 50 MB. */
const ROWS_MAX = 50_000;

/**
 * Rows of the transactions list that wait to be compared: the newest version of each transaction.
 */
export class RowQueue {
  #rows = new Map<TransactionId, CustodyTransaction>();

  /** Whether the queue exceeds its limit. */
  get isFull(): boolean {
    return this.#rows.size > ROWS_MAX;
  }

  put(rows: Iterable<CustodyTransaction>): void {
    for (const row of rows) {
      const known = this.#rows.get(row.transactionId);
      if (known === undefined || known.updatedAt <= row.updatedAt) {
        this.#rows.set(row.transactionId, row);
      }
    }
  }

  /** Removes and returns all rows. The caller puts back rows that must be compared again. */
  take(): Map<TransactionId, CustodyTransaction> {
    const rows = this.#rows;
    this.#rows = new Map();
    return rows;
  }

  clear(): void {
    this.#rows = new Map();
  }
}
