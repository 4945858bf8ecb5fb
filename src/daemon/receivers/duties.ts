import type { CloseAnswer, RunAnswer } from '../../api/services.ts';
import type { Access } from '../../custody/access.ts';
import type { CustodyClient } from '../../custody/client.ts';
import { systemClock } from '../../custody/clock.ts';
import type { Config } from '../../ops/config/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics/metrics.ts';
import { Reevaluation } from '../../reconcile/verifying/reevaluation.ts';
import { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import { checkClock } from '../checks/clock-check.ts';
import { custodyClientOf } from '../custody/custody-client.ts';
import { reachLog } from '../custody/reach-log.ts';
import { daemonCounting } from '../custody/request-log.ts';
import { DayCloser } from '../schedule/day-closer.ts';
import { Reconciler } from '../schedule/reconciler.ts';
import { Verifying } from '../schedule/verifying.ts';
import { startText, takePolicy } from '../start/configured-policy.ts';
import { takeExemptions } from '../start/configured-exemptions.ts';
import type { OpenStore } from '../start/open-store.ts';
import { warnOfNames } from '../start/startup-warnings.ts';

/** What the duties work with. */
export interface DutiesContext extends Pick<OpenStore, 'reads' | 'queue'> {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly access: Access;
}

/** Receivers with different rules replace each other's at every takeover. */
const RULES_REPLACED =
  "the exemption rules of this receiver's configuration have replaced others: give all receivers the same reconcile.exemptions";

/** How duties end, in order. A step stops what the steps before it may have started. */
export const DUTY_STEPS = [
  'schedule',
  'custody client',
  'reconciliation',
  'verifier',
  'reevaluation',
] as const;
export type DutyStep = (typeof DUTY_STEPS)[number];

/**
 * What only the owner of the books does: it asks the custody API, reconciles, verifies, closes days
 * and evaluates deposits again. With SQLite the one receiver is always the owner.
 *
 * Modes: created → prepared → started → stopped, step by step. An owner that takes over again makes
 * new duties.
 */
export class Duties {
  readonly custody: CustodyClient | undefined;
  readonly networks: PublishedNetworks | undefined;
  /** Absent without a custody API: then nothing is verified. */
  readonly verifying: Verifying | undefined;
  readonly #context: DutiesContext;
  readonly #reconciler: Reconciler;
  readonly #closer: DayCloser;
  readonly #reevaluation: Reevaluation;
  #isStopping = false;

  /** Throws `CommandFailed` when the custody key or the log of requests cannot be used. */
  constructor(context: DutiesContext) {
    this.#context = context;
    const { config, reads, queue, log } = context;
    const now = (): number => Date.now();
    const custody = clientOf(context);
    this.custody = custody;
    const metrics = context.metrics.reconciliation;
    this.networks = custody && new PublishedNetworks({ custody, now });
    this.verifying =
      custody &&
      new Verifying({
        config,
        custody,
        reads,
        queue,
        metrics: context.metrics.deposits,
        log,
        wantSweep: () => this.#reconciler.runIfIdle(),
      });
    const scheduled = { config, reads, queue, custody, metrics, log, now };
    const changes = this.verifying?.changes;
    this.#reconciler = new Reconciler({ ...scheduled, changes, networks: this.networks });
    this.#closer = new DayCloser({ ...scheduled, reconcile: () => this.#reconciled() });
    const submit = queue.submit.bind(queue);
    this.#reevaluation = new Reevaluation({
      reads,
      submit,
      now,
      pause: (ms, signal) => systemClock.sleep(ms, signal),
    });
  }

  /** Journals the configured policy and exemption rules. Rejects with `CommandFailed`. */
  async prepare(): Promise<void> {
    const { config, reads, log } = this.#context;
    // Check before the first write: a new fact would become the newest.
    for (const { check, detail } of await checkClock(reads, Date.now()))
      log.warn({ check }, detail);
    const isShared = config.receiver !== undefined;
    const start = await takePolicy(config.crediting, this.#context, { isShared });
    const policyText = startText(start);
    if (policyText !== null) log.warn(policyText);
    const replaced = await takeExemptions(config.reconcile.exemptions, this.#context);
    if (replaced && isShared) log.warn(RULES_REPLACED);
  }

  start(): void {
    const { config, reads, log, metrics } = this.#context;
    metrics.reconciliation.began();
    this.#reconciler.start();
    this.verifying?.start();
    this.#closer.start();
    this.reevaluate();
    warnOfNames({ config, reads, log, networks: this.networks }).catch((error: unknown) => {
      // The store may close meanwhile when the shutdown follows the start.
      if (this.#isStopping) return;
      log.error({ err: error }, 'checking the names in the policy and the exemption rules failed');
    });
  }

  async stop(step: DutyStep): Promise<void> {
    this.#isStopping = true;
    switch (step) {
      case 'schedule':
        this.#context.metrics.reconciliation.ended();
        this.#reconciler.stop();
        return this.#closer.stop();
      case 'custody client':
        // Abort requests, so that a run which waits for a slow API ends.
        return this.custody?.close();
      case 'reconciliation':
        await this.#reconciler.idle();
        return this.#closer.idle();
      case 'verifier':
        return this.verifying?.stop();
      case 'reevaluation':
        return this.#reevaluation.stop();
      default:
        step satisfies never;
    }
  }

  /** Receives the changes of a commit. */
  take(news: CommitNews): void {
    this.verifying?.take(news);
  }

  /** Runs one reconciliation, after all queued ones. */
  reconcile(): Promise<RunAnswer> {
    return this.#reconciler.runNow();
  }

  /** Closes every day up to this one. */
  close(day: string): Promise<CloseAnswer> {
    return this.#closer.closeNow(day);
  }

  /** Re-evaluates deposits that a policy change, or an earlier owner, left unevaluated. */
  reevaluate(): void {
    this.#reevaluation.begin().catch((error: unknown) => {
      this.#context.log.error(
        { err: error },
        're-evaluating deposits by the policy failed; the next start continues',
      );
    });
  }

  async #reconciled(): Promise<void> {
    const result = await this.#reconciler.runNow();
    if (result.kind === 'not_recorded') {
      throw new Error(`the run could not be recorded: ${result.cause}`);
    }
  }
}

function clientOf({ config, log, metrics, access }: DutiesContext): CustodyClient | undefined {
  const { custody, store } = config;
  if (custody === undefined) return undefined;
  const reached = reachLog(log, custody);
  return custodyClientOf(custody, {
    observe: (attempt) => {
      reached(attempt);
      metrics.custody.attempt(attempt);
      access.answered(attempt);
    },
    ...daemonCounting(store, custody),
  });
}
