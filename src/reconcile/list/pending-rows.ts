import { lacksChanges, type CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { isReread } from './watermark.ts';

/**
 * Decides which rows of the list are read again because they could not be compared. A row is read
 * again until it is a day old. A row whose balance changes the API omits (spec, conservation rule 6)
 * is also read again for the grace period after the first reading that showed it: after an outage of
 * days, that reading shows rows that are older. A restart begins the grace period anew.
 */
export class PendingRows {
  readonly #graceMs: number;
  #firstReadAt = new Map<TransactionId, number>();
  #before: ReadonlyMap<TransactionId, number> = new Map();

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** A new reading of the list begins; rows that it does not show are forgotten. */
  begin(): void {
    this.#before = this.#firstReadAt;
    this.#firstReadAt = new Map();
  }

  /** `reached`: the newest row's time. `now`: our clock. Both in Unix milliseconds. */
  isReadAgain(row: CustodyTransaction, reached: number, now: number): boolean {
    return this.#isNew(row, now) || isReread(row.updatedAt, reached);
  }

  #isNew(row: CustodyTransaction, now: number): boolean {
    if (!lacksChanges(row)) return false;
    const firstReadAt = this.#before.get(row.transactionId) ?? now;
    this.#firstReadAt.set(row.transactionId, firstReadAt);
    return now - firstReadAt <= this.#graceMs;
  }
}
