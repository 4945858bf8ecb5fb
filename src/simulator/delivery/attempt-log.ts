import type { Notification } from '../../wire/notification.ts';
import type { Stream } from '../../wire/event-names.ts';
import type { Table } from '../state/table.ts';

/** Attempts kept for `GET /sim/deliveries`. Beyond this number the oldest are deleted. */
const ATTEMPTS_KEPT_MAX = 200_000;

/**
 * `queue`: an attempt of the vault's queue. `replay`: asked for through the API. `duplicate` and
 * `replay-late`: made by faults.
 */
export type AttemptKind = 'queue' | 'replay' | 'duplicate' | 'replay-late';

/** One HTTP POST to a receiver, with its result. Times are Unix epoch milliseconds. */
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
  /** What prevented the delivery; null when the core accepted the receiver's answer. */
  readonly error: string | null;
  /**
   * Whether the core counts the attempt as delivered: a 2xx answer arrived (the specification,
   * section "Delivery rules", 3).
   */
  readonly delivered: boolean;
  /** The body that was sent, except for `timestamp`: the attempt set that to `startedAt`. */
  readonly body: Notification;
}

/** The delivery attempts, for `GET /sim/deliveries`. */
export class AttemptLog {
  readonly #rows: Table<Attempt>;
  /**
   * Numbers are consecutive, so the oldest is known by its number. Asking a map for its first key
   * gets slow when first keys are deleted again and again.
   */
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

  /** Attempts in order of completion, each with the body as it was sent. */
  *list(): IterableIterator<Attempt> {
    for (const attempt of this.#rows.list()) {
      yield { ...attempt, body: { ...attempt.body, timestamp: attempt.startedAt } };
    }
  }

  /** Continues the numbering after the last row; called after a restore. */
  resume(): void {
    const [first] = this.#rows.entries();
    this.#firstNumber = Number(first?.[0] ?? 1);
    this.#lastNumber = this.#firstNumber + this.#rows.size - 1;
  }
}
