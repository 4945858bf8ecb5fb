import type { CloseAnswer } from '../../api/services.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CommitQueue } from '../../intake/commit-queue.ts';
import type { Config } from '../../ops/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics.ts';
import { CloseCalendar } from '../../reconcile/close-calendar.ts';
import {
  Closer,
  DAYS_BY_THEMSELVES_MAX,
  type CloseResult,
  type TooMany,
} from '../../reconcile/close.ts';
import { startSchedule, type Schedule } from '../../reconcile/schedule.ts';
import type { Reads } from '../../store/reads.ts';

/** What is due is asked every minute: the schedule says when, and a day that waits or failed is due still. */
const LOOK_PATTERN = '* * * * *';

interface DayCloserOptions {
  readonly config: Pick<Config, 'reconcile'>;
  readonly reads: Reads;
  readonly queue: Pick<CommitQueue, 'submitAll'>;
  readonly custody: CustodyClient | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly now: () => number;
  /** Reconciles before a day is closed, so that its report rests on fresh comparisons. */
  readonly reconcile: () => Promise<unknown>;
}

function tooMany({ since }: TooMany): string {
  return `more than ${DAYS_BY_THEMSELVES_MAX} days are due to be closed, from ${since} on, and none is closed by itself: check the clock, and if it is right close them with POST /v1/reports/daily/DATE/close`;
}

/** The daily close, on its schedule and on request, with what it tells metrics and the log. */
export class DayCloser {
  readonly #options: DayCloserOptions;
  readonly #calendar: CloseCalendar;
  readonly #closer: Closer;
  #schedule: Schedule | undefined;
  /** From when on it was told that too many days are due. */
  #toldSince: string | null = null;

  constructor(options: DayCloserOptions) {
    const { config, reads, queue, custody, now } = options;
    const { timezone, close: pattern, graceSeconds } = config.reconcile;
    this.#options = options;
    this.#calendar = new CloseCalendar({ timezone, pattern });
    this.#closer = new Closer({
      reads,
      submit: (facts) => queue.submitAll(facts),
      calendar: this.#calendar,
      now,
      graceMs: graceSeconds * 1000,
      ...(custody === undefined ? {} : { custody }),
    });
  }

  /** Closes the days that were missed, and from then on each when the schedule says so. */
  start(): void {
    const tick = (): Promise<void> => this.#tick();
    this.#schedule = startSchedule({ pattern: LOOK_PATTERN, timezone: 'UTC', tick });
    void tick();
  }

  async closeNow(day: string): Promise<CloseAnswer> {
    const { reads, now } = this.#options;
    const first = await reads.firstRecordedAt();
    if (first === null || day < this.#calendar.dayAt(first)) return { kind: 'unknown' };
    const { cutOffAt } = this.#calendar.day(day);
    if (now() < cutOffAt) return { kind: 'too_early', cutOffAt };
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

  /** No more closes, by themselves or asked for; one that is not with the writer yet is given up. */
  stop(): void {
    this.#schedule?.stop();
    this.#closer.stop();
  }

  /** Resolves when no close is under way. */
  idle(): Promise<void> {
    return this.#closer.idle();
  }

  async #tick(): Promise<void> {
    const { log, metrics, reads, reconcile } = this.#options;
    try {
      const due = await this.#closer.due();
      if (due.kind === 'too_many') this.#told({ ...due, days: [] });
      if (due.kind === 'some') {
        await this.#closed(async () => {
          await reconcile();
          return this.#closer.closeDue();
        });
      }
      const last = await reads.lastClose();
      if (last !== undefined) metrics.closedUntil(last.cutOffAt);
    } catch (error) {
      log.error({ err: error }, 'Daily-close check failed; retrying in a minute.');
    }
  }

  /** Closes; the next tick tries again what failed. */
  async #closed(close: () => Promise<CloseResult>): Promise<CloseResult> {
    try {
      return this.#told(await close());
    } catch (error) {
      this.#options.log.error(
        { err: error },
        'a daily close failed: it is tried again in a minute',
      );
      const cause = error instanceof Error ? error.message : String(error);
      return { kind: 'not_recorded', days: [], cause };
    }
  }

  #told(result: CloseResult): CloseResult {
    const { log } = this.#options;
    for (const day of result.days) log.info({ day }, 'a day was closed');
    if (result.kind === 'postponed') {
      log.warn({ reason: result.reason }, 'a daily close waits for the custody API');
    }
    if (result.kind === 'not_recorded') {
      log.error({ cause: result.cause }, 'a daily close could not be recorded');
    }
    const since = result.kind === 'too_many' ? result.since : null;
    // Once: it is looked again every minute whether the clock was set right.
    if (result.kind === 'too_many' && since !== this.#toldSince)
      log.error({ since }, tooMany(result));
    this.#toldSince = since;
    return result;
  }
}
