import type { Notification } from '../../wire/notification.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../state/random.ts';
import type { Outbox } from './world.ts';

/** A notification before it has its id and time. */
export interface Announcement {
  vaultId: string;
  stream: Notification['stream'];
  type: string;
  [field: string]: unknown;
}

/** Gives announcements their envelope (section "Envelope") and hands them to the outbox. */
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
   * `depth` marks a confirmation event that a subscription may suppress. Fields that are undefined
   * are left out. Returns the notification's id.
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
    // A test parses every kind of announcement with the wire schema.
    const notification = body as Notification;
    this.#outbox.enqueue(vaultId, notification, depth === undefined ? {} : { depth });
    return id;
  }
}
