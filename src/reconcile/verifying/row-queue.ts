import type { CustodyTransaction } from '../../domain/custody.ts';
import type { TransactionId } from '../../domain/ids.ts';

/** Rows that may wait in one queue: some 50 MB. */
const ROWS_MAX = 50_000;

/** Rows of the transactions list that somebody has to judge: of each transaction the newest. */
export class RowQueue {
  #rows = new Map<TransactionId, CustodyTransaction>();

  /** Whether it holds more than it may. */
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

  /** Hands over all rows. Whoever takes them puts back those that must be judged again. */
  take(): Map<TransactionId, CustodyTransaction> {
    const rows = this.#rows;
    this.#rows = new Map();
    return rows;
  }

  clear(): void {
    this.#rows = new Map();
  }
}
