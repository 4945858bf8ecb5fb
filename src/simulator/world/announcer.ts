import type { Notification } from '../../wire/notification.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../state/random.ts';
import type { Outbox } from './world.ts';

/** A notification without its id and time. */
export interface Announcement {
  vaultId: string;
  stream: Notification['stream'];
  type: string;
  [field: string]: unknown;
}

/**
 * Adds the envelope to notifications (the specification, section "Envelope") and passes them to the
 * outbox.
 */
export class Announcer {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #outbox: Outbox;

  constructor(options: { clock: Clock; random: Random; outbox: Outbox }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#outbox = options.outbox;
  }

  /**
   * Sends a notification and returns its id. `depth` is set on a confirmation event that a
   * subscription may suppress. Undefined and null fields are omitted.
   */
  announce(announcement: Announcement, depth?: number): string {
    const { stream, type, vaultId, ...fields } = announcement;
    const id = this.#random.uuid();
    const body: Record<string, unknown> = {
      id,
      timestamp: this.#clock.now(),
      stream,
      type,
      vaultId,
    };
    for (const [field, value] of Object.entries(fields)) {
      if (value !== undefined && value !== null) body[field] = value;
    }
    // A test parses every kind of notification with the wire schema.
    const notification = body as Notification;
    this.#outbox.enqueue(vaultId, notification, depth === undefined ? {} : { depth });
    return id;
  }
}
