import type { CloseAnswer } from '../../api/services.ts';
import type { CustodyClient } from '../../custody/client.ts';
import { submitAll, type FactQueue } from '../../intake/fact-queue.ts';
import type { Config } from '../../ops/config/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { ReconciliationMetrics } from '../../ops/metrics/reconciliation-metrics.ts';
import { changedZone, CloseCalendar } from '../../reconcile/close/calendar.ts';
import { closableAt } from '../../reconcile/close/closable.ts';
import {
  Closer,
  DAYS_BY_THEMSELVES_MAX,
  type CloseResult,
  type TooMany,
} from '../../reconcile/close/close.ts';
import { startSchedule, type Schedule } from '../../reconcile/schedule.ts';
import type { Reads } from '../../store/reads.ts';

/** Due days are checked every minute: a day that waited or failed is still due. */
const LOOK_PATTERN = '* * * * *';

interface DayCloserOptions {
  readonly config: Pick<Config, 'reconcile'>;
  readonly reads: Reads;
  readonly queue: Pick<FactQueue, 'submit'>;
  readonly custody: CustodyClient | undefined;
  readonly metrics: ReconciliationMetrics;
  readonly log: Logger;
  readonly now: () => number;
  /** Reconciles before a close, so that the report uses fresh comparisons. */
  readonly reconcile: () => Promise<unknown>;
}

function tooMany({ since }: TooMany): string {
  return `more than ${DAYS_BY_THEMSELVES_MAX} days are due for closing, the first is ${since}; so many are never closed automatically. Check the clock. If it is right, close them with POST /v1/reports/daily/DATE/close`;
}

/** Runs the daily close on schedule and on request, and reports it to metrics and log. */
export class DayCloser {
  readonly #options: DayCloserOptions;
  readonly #calendar: CloseCalendar;
  readonly #closer: Closer;
  #schedule: Schedule | undefined;
  #isStopped = false;
  #isZoneChecked = false;
  /** The first due day of the last warning about too many days. */
  #warnedSince: string | null = null;

  constructor(options: DayCloserOptions) {
    const { config, reads, queue, custody, now } = options;
    const { timezone, close: pattern, graceSeconds } = config.reconcile;
    this.#options = options;
    this.#calendar = new CloseCalendar({ timezone, pattern });
    this.#closer = new Closer({
      reads,
      submit: (facts) => submitAll(queue, facts),
      calendar: this.#calendar,
      now,
      graceMs: graceSeconds * 1000,
      ...(custody === undefined ? {} : { custody }),
    });
  }

  /** Closes missed days, then starts the schedule. */
  start(): void {
    const tick = (): Promise<void> => this.#tick();
    this.#schedule = startSchedule({ pattern: LOOK_PATTERN, timezone: 'UTC', tick });
    this.#schedule.trigger();
  }

  async closeNow(day: string): Promise<CloseAnswer> {
    const { reads, now } = this.#options;
    const closable = await closableAt(day, now(), { reads, calendar: this.#calendar });
    if (closable.kind === 'before_journal') return { kind: 'unknown' };
    if (closable.kind === 'too_early') return closable;
    const result = await this.#closed(() => this.#closer.closeThrough(day));
    switch (result.kind) {
      case 'closed':
        return { kind: 'closed' };
      case 'postponed':
        return { kind: 'unavailable', reason: result.reason };
      case 'not_recorded':
        return { kind: 'unavailable', reason: result.cause };
      case 'too_many':
        return { kind: 'unavailable', reason: tooMany(result) };
      case 'stopped':
        return { kind: 'unavailable', reason: 'the daemon is stopping' };
      default:
        return result satisfies never;
    }
  }

  /** Stops closing. A close that has not reached the writer is abandoned. */
  stop(): void {
    this.#isStopped = true;
    this.#schedule?.stop();
    this.#closer.stop();
  }

  /** Resolves when no close is running. */
  idle(): Promise<void> {
    return this.#closer.idle();
  }

  /** Once, before a day is closed in another time zone than the last one. */
  async #warnOfZone(): Promise<void> {
    if (this.#isZoneChecked) return;
    const { log, reads } = this.#options;
    const last = await reads.lastClose();
    const change = last === undefined ? undefined : changedZone(last, this.#calendar);
    if (change !== undefined) log.warn(change);
    this.#isZoneChecked = true;
  }

  async #tick(): Promise<void> {
    const { log, metrics, reads, reconcile, now } = this.#options;
    try {
      await this.#warnOfZone();
      const at = now();
      const due = await this.#closer.due(at);
      if (due.kind === 'too_many') this.#report({ ...due, days: [] });
      if (due.kind === 'some') {
        await this.#closed(async () => {
          await reconcile();
          return this.#closer.closeDue(at);
        });
      }
      const last = await reads.lastClose();
      if (last !== undefined) metrics.closedUntil(last.cutOffAt);
    } catch (error) {
      // The store may close during a check that the shutdown interrupts.
      if (!this.#isStopped)
        log.error({ err: error }, 'Daily-close check failed; retrying in a minute.');
    }
  }

  /** Closes due days; the next tick retries failures. */
  async #closed(close: () => Promise<CloseResult>): Promise<CloseResult> {
    try {
      return this.#report(await close());
    } catch (error) {
      this.#options.log.error({ err: error }, 'a daily close failed; retrying in a minute');
      const cause = error instanceof Error ? error.message : String(error);
      return { kind: 'not_recorded', days: [], cause };
    }
  }

  #report(result: CloseResult): CloseResult {
    const { log } = this.#options;
    for (const day of result.days) log.info({ day }, 'a day was closed');
    if (result.kind === 'postponed') {
      log.warn({ reason: result.reason }, 'a daily close waits for the custody API');
    }
    if (result.kind === 'not_recorded') {
      log.error({ cause: result.cause }, 'a daily close could not be recorded');
    }
    const since = result.kind === 'too_many' ? result.since : null;
    // Warn once: the check repeats every minute.
    if (result.kind === 'too_many' && since !== this.#warnedSince)
      log.error({ since }, tooMany(result));
    this.#warnedSince = since;
    return result;
  }
}
