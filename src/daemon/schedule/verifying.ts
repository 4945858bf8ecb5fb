import type { CustodyClient } from '../../custody/client.ts';
import { systemClock } from '../../custody/clock.ts';
import { submitAll, type FactQueue } from '../../intake/fact-queue.ts';
import type { Config } from '../../ops/config/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { DepositMetrics } from '../../ops/metrics/deposit-metrics.ts';
import { CreditLatency } from '../../reconcile/verifying/credit-latency.ts';
import { CustodyChanges } from '../../reconcile/verifying/custody-changes.ts';
import { VerifierLoop } from '../../reconcile/verifying/verifier-loop.ts';
import { Verifier } from '../../reconcile/verifying/verifier.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Reads } from '../../store/reads.ts';

/** The verifier with its change stream and its latency figures. */
export class Verifying {
  readonly changes: CustodyChanges;
  readonly latency: CreditLatency;
  readonly verifier: Verifier;
  readonly #loop: VerifierLoop;
  readonly #beganMs = systemClock.now();

  constructor(options: {
    config: Config;
    custody: CustodyClient;
    reads: Reads;
    queue: Pick<FactQueue, 'submit'>;
    wantSweep: () => void;
    metrics: DepositMetrics;
    log: Logger;
  }) {
    const { config, custody, reads, queue, wantSweep, metrics, log } = options;
    const now = (): number => systemClock.now();
    this.changes = new CustodyChanges({ custody, now });
    this.latency = new CreditLatency({
      observe: (part, ms) => metrics.creditLatency(part, ms),
    });
    this.verifier = new Verifier({
      reads,
      custody,
      changes: this.changes,
      latency: this.latency,
      submit: (facts) => submitAll(queue, facts),
      wantSweep,
      now,
      graceMs: config.reconcile.graceSeconds * 1000,
    });
    this.#loop = new VerifierLoop({
      verifier: this.verifier,
      clock: systemClock,
      onBug: (error) => log.error({ err: error }, 'verification of due deposits failed; retrying'),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Receives the changes of a commit. */
  take(news: CommitNews): void {
    this.#loop.take(news);
  }

  /** The credit latency of the last hour, and the oldest due deposit. */
  now() {
    const oldest = this.verifier.oldest();
    const { credits, p50Ms, p99Ms } = this.latency.figures(systemClock.now());
    return {
      beganMs: this.#beganMs,
      credits,
      p50Ms,
      p99Ms,
      oldest:
        oldest === null
          ? null
          : {
              depositId: oldest.due.deposit.depositId,
              sinceMs: oldest.due.sinceMs,
              reason: oldest.reason,
            },
    };
  }

  /** Starts no more rounds; resolves when the active one ends. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
