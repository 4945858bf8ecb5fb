import type { CommitResult, Ledger } from '../../../store/port.ts';
import { failureOf } from '../reading/failure.ts';
import type { Failure } from '../reading/messages.ts';
import { factsOf, packedOutcomes, unpacked } from './batch.ts';
import type { Batch, FromWriter } from './messages.ts';

type Tried = CommitResult | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Commits batches that were taken together as one transaction, and answers them in one message. When
 * that trips a bug, each is committed by itself: the batch with the culprit fails, and no other.
 */
export class Committer {
  readonly #ledger: Ledger;
  readonly #clock: () => number;
  readonly #say: (message: FromWriter) => void;

  constructor(options: {
    ledger: Ledger;
    /** Monotonic milliseconds, for durations only. */
    clock: () => number;
    say: (message: FromWriter) => void;
  }) {
    this.#ledger = options.ledger;
    this.#clock = options.clock;
    this.#say = options.say;
  }

  async commit(batches: readonly Batch[]): Promise<void> {
    const started = this.#clock();
    const result = await this.#tried(batches);
    const parts = batches.map((batch) => ({ id: batch.id, facts: factsOf(batch) }));
    const transaction = { parts, durationMs: this.#clock() - started };
    switch (result.kind) {
      case 'committed': {
        const { outcomes, news } = result;
        const told = news === undefined ? {} : { news };
        this.#say({ kind: 'committed', ...transaction, ...packedOutcomes(outcomes), ...told });
        return;
      }
      case 'unavailable':
        this.#say({ kind: 'unavailable', ...transaction, cause: result.cause });
        return;
      case 'failed':
        if (batches.length === 1) {
          this.#say({ kind: 'failed', ...transaction, failure: result.failure });
          return;
        }
        this.#say({
          kind: 'parted',
          facts: parts.reduce((sum, part) => sum + part.facts, 0),
          durationMs: transaction.durationMs,
        });
        for (const batch of batches) await this.commit([batch]);
        return;
      default:
        result satisfies never;
    }
  }

  async #tried(batches: readonly Batch[]): Promise<Tried> {
    try {
      return await this.#ledger.commit(batches.flatMap(unpacked));
    } catch (error) {
      return { kind: 'failed', failure: failureOf(error) };
    }
  }
}
