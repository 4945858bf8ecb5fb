import type { Notification, Stream } from '../../wire/notification.ts';
import type { Table } from '../state/table.ts';

/** Attempts kept for `GET /sim/deliveries`; beyond this the oldest are forgotten. */
const ATTEMPTS_KEPT_MAX = 200_000;

/** `queue` in the vault's order; the others go beside it: an API replay, and two kinds of fault. */
export type AttemptKind = 'queue' | 'replay' | 'duplicate' | 'replay-late';

/** One HTTP POST to a receiver and what came of it. Times are Unix epoch milliseconds. */
export interface Attempt {
  readonly deliveryId: string;
  readonly notificationId: string;
  readonly vaultId: string;
  readonly stream: Stream;
  readonly type: string;
  readonly kind: AttemptKind;
  readonly url: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly statusCode: number | null;
  /** What went wrong on the way; null when an answer arrived and was counted. */
  readonly error: string | null;
  /** Whether the core counts it as delivered. */
  readonly delivered: boolean;
  /** As sent, but for the envelope's `timestamp`, which was `startedAt`. */
  readonly body: Notification;
}

export class AttemptLog {
  readonly #rows: Table<Attempt>;
  /** Numbers are consecutive, so the oldest is known without asking a map that keeps losing it. */
  #firstNumber = 1;
  #lastNumber = 0;

  constructor(rows: Table<Attempt>) {
    this.#rows = rows;
    this.resume();
  }

  add(attempt: Attempt): void {
    this.#lastNumber += 1;
    this.#rows.put(String(this.#lastNumber), attempt);
    if (this.#rows.size <= ATTEMPTS_KEPT_MAX) return;
    this.#rows.delete(String(this.#firstNumber));
    this.#firstNumber += 1;
  }

  /** In order of completion, with the body as it was sent. */
  *list(): IterableIterator<Attempt> {
    for (const attempt of this.#rows.list()) {
      yield { ...attempt, body: { ...attempt.body, timestamp: attempt.startedAt } };
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Counts on from the last row after a restore. */
  resume(): void {
    const [first] = this.#rows.entries();
    this.#firstNumber = Number(first?.[0] ?? 1);
    this.#lastNumber = this.#firstNumber + this.#rows.size - 1;
  }
}
