import { factsOf } from './batch.ts';
import type { Batch, ToWriter } from './messages.ts';

/** What the writer does next. Never without a batch. */
export type Work =
  | { readonly kind: 'commit'; readonly batches: readonly Batch[] }
  | Exclude<ToWriter, { kind: 'commit' }>;

/**
 * What has arrived at the writer and is not done yet. Batches that stand next to each other are
 * taken together, so that one transaction holds everything that arrived while the one before was
 * under way; nothing overtakes anything.
 */
export class Inbox {
  readonly #factsMax: number;
  readonly #messages: ToWriter[] = [];

  /** `factsMax`: most facts that are taken together; a larger batch is taken by itself. */
  constructor(factsMax: number) {
    this.#factsMax = factsMax;
  }

  put(message: ToWriter): void {
    this.#messages.push(message);
  }

  take(): Work | undefined {
    const first = this.#messages.shift();
    if (first?.kind !== 'commit') return first;
    const batches = [first.batch];
    let facts = factsOf(first.batch);
    for (let next = this.#messages[0]; next?.kind === 'commit'; next = this.#messages[0]) {
      facts += factsOf(next.batch);
      if (facts > this.#factsMax) break;
      batches.push(next.batch);
      this.#messages.shift();
    }
    return { kind: 'commit', batches };
  }
}
