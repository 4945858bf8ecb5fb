import { custodyReceived, isRecordOf } from '../../domain/deposit/record/comparison.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { BlockchainHash, TransactionId } from '../../domain/ids.ts';

/** How long a row counts as fresh: its transaction needs no look-up. */
const SHOWN_MS = 900_000;

/** Most rows remembered, some 100 MB; the oldest are evicted. */
const ROWS_MAX = 100_000;

/** The time of an outdated row, which must be read again. */
const OUTDATED = -Infinity;

interface Shown {
  readonly row: CustodyTransaction;
  /** Its `updatedAt`, at most the time of its reading: the service's clock may be ahead. */
  readonly changedAt: number;
  readonly at: number;
}

/**
 * Differs when a row has new data. A row gains confirmations, amounts and its hash without a new
 * `updatedAt`.
 */
function versionOf(row: CustodyTransaction): string {
  const { updatedAt, status, confirmations, blockchainHash, changes } = row;
  const amounts = changes === null ? 'pending' : 'known';
  return `${updatedAt} ${status} ${confirmations} ${amounts} ${blockchainHash}`;
}

/** A record of ours, as rows are found for it. */
interface Named {
  readonly transactionId: TransactionId | null;
  readonly blockchainHash: BlockchainHash | null;
}

/** The last row that the custody API has shown of each transaction. */
export class ShownRows {
  readonly #now: () => number;
  readonly #rows = new Map<TransactionId, Shown>();

  /** `now`: wall clock, Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers rows; returns those with new data. */
  see(rows: Iterable<CustodyTransaction>): CustodyTransaction[] {
    const at = this.#now();
    const news: CustodyTransaction[] = [];
    for (const row of rows) {
      if (!this.isNewest(row)) continue;
      const known = this.#rows.get(row.transactionId);
      const isNew = known === undefined || versionOf(known.row) !== versionOf(row);
      if (isNew || known.at === OUTDATED) news.push(row);
      this.#rows.delete(row.transactionId);
      this.#rows.set(row.transactionId, { row, changedAt: Math.min(row.updatedAt, at), at });
    }
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= ROWS_MAX) break;
      this.#rows.delete(oldest);
    }
    return news;
  }

  /** Fresh rows about these records. One that names no transaction is found by its hash. */
  about(records: readonly Named[]): CustodyTransaction[] {
    const transactionIds = new Set(records.flatMap(({ transactionId }) => transactionId ?? []));
    const unnamed = records.filter(({ transactionId }) => transactionId === null);
    const hashes = new Set(unnamed.map(({ blockchainHash }) => blockchainHash));
    const found = [...transactionIds].flatMap((transactionId) => this.get(transactionId) ?? []);
    if (hashes.size === 0) return found;
    for (const shown of this.#rows.values()) {
      const { transactionId, blockchainHash } = shown.row;
      if (blockchainHash === null || !hashes.has(blockchainHash)) continue;
      if (!transactionIds.has(transactionId) && this.#isFresh(shown)) found.push(shown.row);
    }
    return found;
  }

  /** The row of a transaction, if it is fresh. */
  get(transactionId: TransactionId): CustodyTransaction | undefined {
    const shown = this.#rows.get(transactionId);
    return shown !== undefined && this.#isFresh(shown) ? shown.row : undefined;
  }

  /** Outdates a row: it is not fresh any more, and it is news when it is shown again. */
  outdate({ transactionId }: CustodyTransaction): void {
    const shown = this.#rows.get(transactionId);
    if (shown !== undefined) this.#rows.set(transactionId, { ...shown, at: OUTDATED });
  }

  /** Outdates every row. */
  outdateAll(): void {
    for (const [transactionId, shown] of this.#rows) {
      this.#rows.set(transactionId, { ...shown, at: OUTDATED });
    }
  }

  /** Whether a row with this `updatedAt` was read; it may have new data since. */
  hasRead({ transactionId, updatedAt }: CustodyTransaction): boolean {
    return this.#rows.get(transactionId)?.row.updatedAt === updatedAt;
  }

  /** Whether the API has shown this deposit: same address, hash, id and asset. */
  shows(deposit: Deposit): boolean {
    const { transactionId } = deposit;
    const shown = transactionId === null ? undefined : this.#rows.get(transactionId);
    if (shown === undefined || !isRecordOf(deposit, shown.row)) return false;
    return custodyReceived(deposit, shown.row.changes ?? []) !== undefined;
  }

  /** Whether a record was made from the newest version of its row. */
  isCurrent(record: CustodyRecord): boolean {
    const row = 'transaction' in record ? record.transaction : null;
    return row === null || this.isNewest(row);
  }

  #isFresh({ at }: Shown): boolean {
    return this.#now() - at < SHOWN_MS;
  }

  /** Whether no newer version of this row was read: evidence must not go backwards. */
  isNewest({ transactionId, updatedAt }: CustodyTransaction): boolean {
    return (this.#rows.get(transactionId)?.changedAt ?? updatedAt) <= updatedAt;
  }
}
