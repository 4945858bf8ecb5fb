import { setTimeout as pause } from 'node:timers/promises';
import type { CustodyClient } from '../../custody/client.ts';
import type { CommitQueue } from '../../intake/commit-queue.ts';
import type { RunAges } from '../../domain/custody.ts';
import type { Config } from '../../ops/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';
import { RunQueue } from '../../reconcile/run-queue.ts';
import { startSchedule, type Schedule } from '../../reconcile/schedule.ts';
import { Sweep, type SweepResult } from '../../reconcile/sweep.ts';
import type { CustodyChanges } from '../../reconcile/verifying/custody-changes.ts';
import type { Reads } from '../../store/reads.ts';

/** The configured ages; without a custody API no deposit is ever verified, and none is stale. */
function agesOf({ reconcile, custody }: Config): RunAges {
  const { stale, escalation } = reconcile;
  const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);
  return {
    stale: {
      depositMs: custody === undefined ? null : stale.depositSeconds * 1000,
      withdrawalMs: stale.withdrawalSeconds * 1000,
    },
    escalation: {
      infoToWarningAfterMs: ms(escalation.infoToWarningAfterSeconds),
      warningToCriticalAfterMs: ms(escalation.warningToCriticalAfterSeconds),
    },
  };
}

/** The sweep, on its schedule and on request, with what it tells metrics and the log. */
export class Reconciler {
  readonly #options: {
    readonly config: Config;
    readonly metrics: Metrics;
    readonly log: Logger;
  };
  readonly #runs: RunQueue<SweepResult>;
  #schedule: Schedule | undefined;

  constructor(options: {
    config: Config;
    reads: Reads;
    queue: CommitQueue;
    custody: CustodyClient | undefined;
    changes: CustodyChanges | undefined;
    networks: PublishedNetworks | undefined;
    metrics: Metrics;
    log: Logger;
    now: () => number;
  }) {
    const { config, reads, queue, custody, changes, networks, now } = options;
    this.#options = options;
    const sweep = new Sweep({
      reads,
      submit: (facts) => queue.submitAll(facts),
      now,
      rest: (ms) => pause(ms),
      graceMs: config.reconcile.graceSeconds * 1000,
      ages: agesOf(config),
      ...(custody === undefined || config.custody === undefined
        ? {}
        : { custody, changes, networks, subscription: config.custody }),
    });
    this.#runs = new RunQueue(async () => this.#told(await sweep.run()));
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

  /** Runs now, unless a run is under way. */
  runIfIdle(): void {
    void this.#tick();
  }

  async #tick(): Promise<void> {
    try {
      await this.#runs.runIfIdle();
    } catch (error) {
      this.#options.log.error({ err: error }, 'a reconciliation failed');
    }
  }

  /** Runs after whatever is queued. */
  runNow(): Promise<SweepResult> {
    return this.#runs.enqueue();
  }

  /** No more runs by themselves; the one under way goes on. */
  stopSchedule(): void {
    this.#schedule?.stop();
  }

  /** Resolves when no run is under way. */
  idle(): Promise<void> {
    return this.#runs.idle();
  }

  #told(result: SweepResult): SweepResult {
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
      log.info(repairs, 'repaired what no notification had told');
    }
    if (run.incomplete === null) {
      log.debug({ matched, broken, exempt, skipped, requests }, 'reconciled');
    } else log.warn({ incomplete: run.incomplete, skipped }, 'reconciled in part');
    return result;
  }
}
