import PQueue from 'p-queue';
import type { CustodyClient } from '../../custody/client.ts';
import { systemClock } from '../../custody/clock.ts';
import { submitAll, type FactQueue } from '../../intake/fact-queue.ts';
import type { RunAges } from '../../domain/fact/custody-record.ts';
import type { Config } from '../../ops/config/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { ReconciliationMetrics } from '../../ops/metrics/reconciliation-metrics.ts';
import type { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';
import { startSchedule, type Schedule } from '../../reconcile/schedule.ts';
import { Sweep, type SweepResult } from '../../reconcile/sweep/sweep.ts';
import type { CustodyChanges } from '../../reconcile/verifying/custody-changes.ts';
import type { Reads } from '../../store/reads.ts';

/** The configured ages. Without a custody API deposits are never verified, so none is stale. */
function agesOf({ reconcile, custody }: Pick<Config, 'reconcile' | 'custody'>): RunAges {
  const { stale, escalation } = reconcile;
  const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);
  return {
    stale: {
      depositMs: custody === undefined ? null : stale.depositSeconds * 1000,
      withdrawalMs: stale.withdrawalSeconds * 1000,
      reversals: true,
    },
    escalation: {
      infoToWarningAfterMs: ms(escalation.infoToWarningAfterSeconds),
      warningToCriticalAfterMs: ms(escalation.warningToCriticalAfterSeconds),
    },
  };
}

/** Runs the sweep on schedule and on request, and reports it to metrics and log. */
export class Reconciler {
  readonly #options: {
    readonly config: Pick<Config, 'reconcile'>;
    readonly metrics: ReconciliationMetrics;
    readonly log: Logger;
  };
  /** One run at a time. */
  readonly #runs = new PQueue({ concurrency: 1 });
  readonly #sweep: Sweep;
  readonly #stopping = new AbortController();
  #schedule: Schedule | undefined;

  constructor(options: {
    config: Pick<Config, 'reconcile' | 'custody'>;
    reads: Reads;
    queue: Pick<FactQueue, 'submit'>;
    custody: CustodyClient | undefined;
    changes: CustodyChanges | undefined;
    networks: PublishedNetworks | undefined;
    metrics: ReconciliationMetrics;
    log: Logger;
    now: () => number;
  }) {
    const { config, reads, queue, custody, changes, networks, now } = options;
    this.#options = options;
    this.#sweep = new Sweep({
      reads,
      submit: (facts) => submitAll(queue, facts),
      now,
      rest: (ms) => systemClock.sleep(ms, this.#stopping.signal),
      stopping: this.#stopping.signal,
      graceMs: config.reconcile.graceSeconds * 1000,
      ages: agesOf(config),
      ...(custody === undefined || config.custody === undefined
        ? {}
        : { custody, changes, networks, subscription: config.custody }),
    });
  }

  /** Starts the schedule; a tick during a run is skipped. */
  start(): void {
    const { config } = this.#options;
    this.#schedule = startSchedule({
      pattern: config.reconcile.sweep,
      timezone: config.reconcile.timezone,
      tick: () => this.#tick(),
    });
  }

  /** Runs now, unless a run is active. */
  runIfIdle(): void {
    void this.#tick();
  }

  async #tick(): Promise<void> {
    if (this.#runs.size + this.#runs.pending > 0) return;
    try {
      await this.runNow();
    } catch (error) {
      this.#options.log.error({ err: error }, 'a reconciliation failed');
    }
  }

  /** Runs after all queued runs. */
  runNow(): Promise<SweepResult> {
    return this.#runs.add(async () => this.#report(await this.#sweep.run()));
  }

  /** Stops the schedule; an active run leaves to the next one what it has not compared yet. */
  stop(): void {
    this.#schedule?.stop();
    this.#stopping.abort();
  }

  /** Resolves when no run is active. */
  idle(): Promise<void> {
    return this.#runs.onIdle();
  }

  #report(result: SweepResult): SweepResult {
    const { metrics, log } = this.#options;
    if (result.kind === 'not_recorded') {
      log.warn({ cause: result.cause }, 'a reconciliation could not be recorded');
      return result;
    }
    const { run } = result;
    metrics.sweepEnded({ isComplete: run.incomplete === null });
    metrics.comparisons({ kind: 'matched', count: run.matched });
    metrics.comparisons({ kind: 'break', count: run.broken });
    for (const [cause, count] of Object.entries(run.exempt)) {
      metrics.comparisons({ kind: 'exempt', cause, count });
    }
    for (const [cause, count] of Object.entries(run.skipped)) {
      metrics.comparisons({ kind: 'skipped', cause, count });
    }
    metrics.repairs(run.repairs);
    const { matched, broken, exempt, skipped, requests, repairs } = run;
    if (Object.values(repairs).some((count) => count > 0)) {
      log.info(repairs, 'repaired missing notifications');
    }
    if (run.incomplete === null) {
      log.debug({ matched, broken, exempt, skipped, requests }, 'reconciled');
    } else log.warn({ incomplete: run.incomplete, skipped }, 'reconciliation incomplete');
    return result;
  }
}
