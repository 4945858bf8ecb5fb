import type { Notification, Stream } from '../../wire/notification.ts';
import type { Index, Table } from '../state/table.ts';

/** Settled notifications kept for replay and lists; beyond this the oldest are forgotten. */
const SETTLED_KEPT_MAX = 500_000;
/** One in so many is let go of at once: to find the oldest, those that wait before it are passed. */
const FORGOTTEN_SHARE = 100;
const PENDING = 'pending';

/**
 * A notification on its way. `pending` → `delivered` by the first 2xx; `pending` → `dropped` when its
 * subscription or stream is removed. A dropped one is listed nowhere.
 */
export interface NotificationRow {
  readonly id: string;
  /** Its place among all notifications ever queued, from 1. */
  readonly sequence: number;
  readonly vaultId: string;
  readonly stream: Stream;
  readonly type: string;
  readonly transactionId: string | null;
  readonly blockchainHash: string | null;
  /** As the world told it; the envelope's `timestamp` is set by each attempt. */
  readonly body: Notification;
  readonly status: 'pending' | 'delivered' | 'dropped';
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  /** Attempts of the queue so far, replays not counted. */
  readonly attempts: number;
}

const byTransaction = (id: string): string => `transaction ${id}`;
const byHash = (hash: string): string => `hash ${hash}`;

/** Every notification that was queued, in order. */
export class NotificationLog {
  readonly #rows: Table<NotificationRow>;
  readonly #links: Index<NotificationRow>;
  readonly #waiting: Index<NotificationRow>;
  readonly #settledMax: number;
  #lastSequence = 0;

  /** `settledMax`: how many rows that wait no more are kept; those that wait always are. */
  constructor(rows: Table<NotificationRow>, settledMax = SETTLED_KEPT_MAX) {
    this.#rows = rows;
    this.#settledMax = settledMax;
    this.#waiting = rows.index(({ status }) => (status === 'pending' ? [PENDING] : []));
    this.#links = rows.index(({ transactionId, blockchainHash }) => [
      ...(transactionId === null ? [] : [byTransaction(transactionId)]),
      ...(blockchainHash === null ? [] : [byHash(blockchainHash)]),
    ]);
    this.resume();
  }

  /** Counts on from the last row after a restore. */
  resume(): void {
    this.#lastSequence = 0;
    for (const { sequence } of this.#rows.list()) this.#lastSequence = sequence;
  }

  add(vaultId: string, body: Notification, nowMs: number): NotificationRow {
    this.#lastSequence += 1;
    const row: NotificationRow = {
      id: body.id,
      sequence: this.#lastSequence,
      vaultId,
      stream: body.stream,
      type: body.type,
      transactionId: body.transactionId ?? null,
      blockchainHash: body.blockchainHash ?? null,
      body,
      status: 'pending',
      createdAt: nowMs,
      deliveredAt: null,
      attempts: 0,
    };
    this.#rows.put(row.id, row);
    this.#forgetOldest();
    return row;
  }

  get(id: string): NotificationRow | undefined {
    return this.#rows.get(id);
  }

  update(id: string, change: Partial<NotificationRow>): NotificationRow | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const next = { ...row, ...change };
    this.#rows.put(id, next);
    return next;
  }

  *pending(): IterableIterator<NotificationRow> {
    for (const row of this.#rows.list()) if (row.status === 'pending') yield row;
  }

  /** Linked by the transaction or by its hash, each once, in order; dropped ones left out. */
  linkedTo(transactionId: string, blockchainHash: string | undefined): NotificationRow[] {
    const found = new Map<string, NotificationRow>();
    for (const row of this.#links.find(byTransaction(transactionId))) found.set(row.id, row);
    const hashed = blockchainHash === undefined ? [] : this.#links.find(byHash(blockchainHash));
    for (const row of hashed) found.set(row.id, row);
    return [...found.values()]
      .filter(({ status }) => status !== 'dropped')
      .toSorted((left, right) => left.sequence - right.sequence);
  }

  /** By the rows alone, so that a core that was restored forgets what the first one did. */
  #forgetOldest(): void {
    let settled = this.#rows.size - this.#waiting.count(PENDING);
    if (settled <= this.#settledMax) return;
    const kept = this.#settledMax - Math.floor(this.#settledMax / FORGOTTEN_SHARE);
    for (const { id, status } of this.#rows.list()) {
      if (settled <= kept) return;
      if (status === 'pending') continue;
      this.#rows.delete(id);
      settled -= 1;
    }
  }
}
