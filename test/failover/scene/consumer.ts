import { setTimeout as pause } from 'node:timers/promises';
import type { FailoverReceiver } from './receiver.ts';

/** How long a read waits for new items, and for any answer. */
const WAIT_SECONDS = 1;
const ANSWER_MS_MAX = 15_000;
/** Pause after a receiver that cannot be reached, or that answers 503. */
const AGAIN_MS = 100;
const ITEMS_MAX = 100;

interface FeedItem {
  readonly seq: number;
  readonly creditId: string;
}

/**
 * A program of the exchange: it reads the credit feed from the receivers in turn, and continues each
 * time where the last answer ended.
 */
export class FeedConsumer {
  /** What the feed must never do, in words. */
  readonly problems: string[] = [];
  readonly #receivers: readonly FailoverReceiver[];
  readonly #read = new Set<string>();
  #cursor = 0;
  #ended: Promise<void> | undefined;
  #isStopped = false;

  constructor(receivers: readonly FailoverReceiver[]) {
    this.#receivers = receivers;
  }

  /** Items read so far. */
  get items(): number {
    return this.#read.size;
  }

  start(): void {
    this.#ended = this.#consume();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  async #consume(): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn += 1) {
      const receiver = this.#receivers[turn % this.#receivers.length];
      if (receiver === undefined) throw new Error('there is a receiver');
      if (!(await this.#readFrom(receiver))) await pause(AGAIN_MS);
    }
  }

  /** Whether the receiver has answered. */
  async #readFrom({ name, url, daemon }: FailoverReceiver): Promise<boolean> {
    const query = `after=${this.#cursor}&limit=${ITEMS_MAX}&wait=${WAIT_SECONDS}`;
    let status: number;
    let text: string;
    try {
      const answer = await fetch(`${url}/v1/credits?${query}`, {
        headers: { authorization: `Bearer ${daemon.adminToken}` },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      status = answer.status;
      text = await answer.text();
    } catch {
      // Nobody listens there, the connection broke, or the process sleeps.
      return false;
    }
    // 408: Node's server closes a connection that was open for ten seconds without a whole request.
    if (status === 503 || status === 408) return false;
    if (status === 200) this.#take(name, JSON.parse(text) as { data: FeedItem[]; next: number });
    else this.problems.push(`receiver ${name} answers ${status} after ${this.#cursor}: ${text}`);
    return status === 200;
  }

  #take(name: string, { data, next }: { readonly data: FeedItem[]; readonly next: number }): void {
    for (const { seq, creditId } of data) {
      if (seq !== this.#cursor + 1) {
        this.problems.push(`receiver ${name} shows credit ${seq} after ${this.#cursor}`);
      }
      if (this.#read.has(creditId)) this.problems.push(`receiver ${name} repeats ${creditId}`);
      this.#read.add(creditId);
      this.#cursor = seq;
    }
    if (next !== this.#cursor) {
      this.problems.push(`receiver ${name} continues at ${next} instead of ${this.#cursor}`);
    }
  }
}
