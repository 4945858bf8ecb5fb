import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** How long each sender waits for an answer: the custody service waits 10 s, others less. */
const ANSWER_MS_MAX = [1_000, 3_000, 10_000];
const SENDERS = 8;
/** Pause of a sender between two deliveries, in a quiet hour and in a rush. */
const PACE_MS = { quiet: 100, rush: 5 } as const;
/** Pause after a refusal of both receivers. */
const AGAIN_MS = 50;

/** Where senders deliver. */
export interface Destination {
  /** The address of webhooks, with its path token. */
  readonly hookUrl: string;
}

interface Delivery {
  readonly id: string;
  readonly body: string;
  /** `performance.now()` of the first attempt. */
  sentAt: number;
}

/** A time in which nobody may acknowledge what is first sent in it. */
interface Silence {
  readonly from: number;
  sent: number;
  readonly broken: string[];
}

/** A digest of what a notification says. Its time differs between two deliveries of one. */
export function digestOf(body: string): string {
  const { timestamp: _, ...content } = JSON.parse(body) as Record<string, unknown>;
  return createHash('sha1').update(JSON.stringify(content)).digest('base64');
}

/** A notification that nobody has sent before: a deposit that is never deep enough for a credit. */
export function notificationOf(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  return JSON.stringify({
    id,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: `v${hash.charCodeAt(0) % 3}`,
    accountId: 'a1',
    addressId: `ad${hash.charCodeAt(1) % 5}`,
    network: 'ethereum',
    blockchainHash: `0x${hash}`,
    transactionId: `dep-${hash.slice(0, 12)}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '1', tags: [] }],
  });
}

/**
 * Senders behind a proxy: each delivery goes to the receivers in turn when one refuses, and is
 * repeated until one acknowledges it. So it may arrive several times.
 */
export class Senders {
  /** The digest of each acknowledged notification, by its id. */
  readonly acknowledged = new Map<string, string>();
  #destinations: readonly Destination[] = [];
  readonly #queued: string[] = [];
  readonly #ended: Promise<unknown>[] = [];
  /** How fast deliveries follow each other. */
  pace: keyof typeof PACE_MS = 'quiet';
  #isStopped = false;
  #isHeld = false;
  #underWay = 0;
  #made = 0;
  #silence: Silence | null = null;

  /** A webhook of the custody service, to deliver. */
  take(body: string): void {
    this.#queued.push(body);
  }

  /** Where to deliver from now on. */
  deliverTo(destinations: readonly Destination[]): void {
    this.#destinations = destinations;
  }

  start(): void {
    for (let sender = 0; sender < SENDERS; sender += 1) this.#ended.push(this.#send(sender));
  }

  /** Starts no new delivery; resolves when everything under way is acknowledged. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    while (this.#underWay > 0 && !this.#isStopped) await pause(AGAIN_MS);
  }

  release(): void {
    this.#isHeld = false;
  }

  /** Ends all senders; what is under way may stay without an acknowledgement. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#ended);
  }

  /** Milliseconds until somebody acknowledges a new notification, sent to every receiver at once. */
  async probe(): Promise<number> {
    const delivery = this.#new();
    const startedAt = performance.now();
    const asking = this.#destinations.map(async (destination) => {
      while (!this.acknowledged.has(delivery.id) && !this.#isStopped) {
        if (!(await this.#attempt(delivery, destination, 2_000))) await pause(AGAIN_MS / 5);
        if (this.acknowledged.has(delivery.id)) return performance.now() - startedAt;
      }
      return performance.now() - startedAt;
    });
    return Promise.race(asking);
  }

  /** From now on nothing that is first sent may be acknowledged, until `endSilence`. */
  beginSilence(): void {
    this.#silence = { from: performance.now(), sent: 0, broken: [] };
  }

  /** Notifications of the silence: how many were sent, and those that were acknowledged in it. */
  endSilence(): { readonly sent: number; readonly acknowledged: readonly string[] } {
    const silence = this.#silence;
    if (silence === null) throw new Error('no silence has begun');
    this.#silence = null;
    return { sent: silence.sent, acknowledged: silence.broken };
  }

  /** The custody service's oldest webhook, or a new notification. */
  #next(): Delivery {
    const taken = this.#queued.shift();
    if (taken !== undefined) {
      const { id } = JSON.parse(taken) as { id: string };
      return { id, body: taken, sentAt: 0 };
    }
    return this.#new();
  }

  #new(): Delivery {
    this.#made += 1;
    const id = `made-${this.#made}`;
    return { id, body: notificationOf(id), sentAt: 0 };
  }

  async #send(sender: number): Promise<void> {
    const answerMsMax = ANSWER_MS_MAX[sender % ANSWER_MS_MAX.length] ?? 0;
    for (let turn = sender; !this.#isStopped; turn += 1) {
      if (!this.#isHeld) {
        this.#underWay += 1;
        await this.#deliver(this.#next(), { turn, answerMsMax });
        this.#underWay -= 1;
      }
      await pause(PACE_MS[this.pace]);
    }
  }

  async #deliver(
    delivery: Delivery,
    { turn, answerMsMax }: { readonly turn: number; readonly answerMsMax: number },
  ): Promise<void> {
    for (let attempt = turn; !this.#isStopped; attempt += 1) {
      const destination = this.#destinations[attempt % this.#destinations.length];
      if (destination === undefined) throw new Error('there is a receiver');
      if (await this.#attempt(delivery, destination, answerMsMax)) return;
      if ((attempt - turn) % this.#destinations.length === 1) await pause(AGAIN_MS);
    }
  }

  /** Whether this attempt was acknowledged. */
  async #attempt(delivery: Delivery, to: Destination, answerMsMax: number): Promise<boolean> {
    if (delivery.sentAt === 0) {
      delivery.sentAt = performance.now();
      if (this.#silence !== null) this.#silence.sent += 1;
    }
    const tooLate = new AbortController();
    const timer = setTimeout(() => tooLate.abort(), answerMsMax);
    try {
      const { signal } = tooLate;
      const answer = await fetch(to.hookUrl, { method: 'POST', body: delivery.body, signal });
      await answer.arrayBuffer();
      if (!answer.ok) return false;
    } catch {
      // Nobody listens there, the connection broke, or no answer came in time.
      return false;
    } finally {
      clearTimeout(timer);
    }
    this.acknowledged.set(delivery.id, digestOf(delivery.body));
    const silence = this.#silence;
    if (silence !== null && delivery.sentAt >= silence.from) silence.broken.push(delivery.id);
    return true;
  }
}
