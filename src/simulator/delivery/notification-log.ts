import type { Notification } from '../../wire/notification.ts';
import type { Stream } from '../../wire/event-names.ts';
import type { Index, Table } from '../state/table.ts';

/**
 * Delivered and dropped notifications kept for replay and lists. Beyond this number the oldest are
 * deleted.
 */
const FINISHED_KEPT_MAX = 500_000;
/**
 * A hundredth of the kept rows is deleted at a time. The search for the oldest walks past all
 * pending rows, so it must not run for every single row.
 */
const FORGOTTEN_SHARE = 100;
const PENDING = 'pending';

/**
 * A queued notification. `pending` becomes `delivered` with the first 2xx, or `dropped` when its
 * subscription or stream is removed. Dropped rows appear in no list.
 */
export interface NotificationRow {
  readonly id: string;
  /** Its number among all notifications ever queued, from 1. */
  readonly sequence: number;
  readonly vaultId: string;
  readonly stream: Stream;
  readonly type: string;
  readonly transactionId: string | null;
  readonly blockchainHash: string | null;
  /** The body as the world made it. Each attempt sets the envelope's `timestamp`. */
  readonly body: Notification;
  readonly status: 'pending' | 'delivered' | 'dropped';
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  /** Attempts of the queue so far, without replays. */
  readonly attempts: number;
}

const byTransaction = (id: string): string => `transaction ${id}`;
const byHash = (hash: string): string => `hash ${hash}`;

/** Every queued notification, in order. */
export class NotificationLog {
  readonly #rows: Table<NotificationRow>;
  readonly #links: Index<NotificationRow>;
  readonly #pending: Index<NotificationRow>;
  readonly #finishedMax: number;
  #lastSequence = 0;

  /** `finishedMax`: how many delivered and dropped rows to keep. All pending rows are kept. */
  constructor(rows: Table<NotificationRow>, finishedMax = FINISHED_KEPT_MAX) {
    this.#rows = rows;
    this.#finishedMax = finishedMax;
    this.#pending = rows.index(({ status }) => (status === 'pending' ? [PENDING] : []));
    this.#links = rows.index(({ transactionId, blockchainHash }) => [
      ...(transactionId === null ? [] : [byTransaction(transactionId)]),
      ...(blockchainHash === null ? [] : [byHash(blockchainHash)]),
    ]);
    this.resume();
  }

  /** Continues the numbering after the last row; called after a restore. */
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

  /** Every kept row, in order. */
  list(): IterableIterator<NotificationRow> {
    return this.#rows.list();
  }

  *pending(): IterableIterator<NotificationRow> {
    for (const row of this.#rows.list()) if (row.status === 'pending') yield row;
  }

  /**
   * Notifications of a transaction or its hash, each once, in order, without dropped ones (the
   * specification, section "Subscription (webhook) endpoints", behaviour 5).
   */
  linkedTo(transactionId: string, blockchainHash: string | undefined): NotificationRow[] {
    const found = new Map<string, NotificationRow>();
    for (const row of this.#links.find(byTransaction(transactionId))) found.set(row.id, row);
    const hashed = blockchainHash === undefined ? [] : this.#links.find(byHash(blockchainHash));
    for (const row of hashed) found.set(row.id, row);
    return [...found.values()]
      .filter(({ status }) => status !== 'dropped')
      .toSorted((left, right) => left.sequence - right.sequence);
  }

  /**
   * Deletes the oldest delivered and dropped rows. It looks at the rows only, so that a restored
   * core deletes the same rows as the first one.
   */
  #forgetOldest(): void {
    let finished = this.#rows.size - this.#pending.count(PENDING);
    if (finished <= this.#finishedMax) return;
    const kept = this.#finishedMax - Math.floor(this.#finishedMax / FORGOTTEN_SHARE);
    for (const { id, status } of this.#rows.list()) {
      if (finished <= kept) return;
      if (status === 'pending') continue;
      this.#rows.delete(id);
      finished -= 1;
    }
  }
}
