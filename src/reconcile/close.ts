import type { CustodyClient } from '../custody/client.ts';
import type { CloseRecord, CustodyReading } from '../domain/close-record.ts';
import { countByRule } from '../domain/exemption.ts';
import type { Submission, Submitted } from '../store/port.ts';
import type { Reads } from '../store/reads.ts';
import type { CalendarDay, CloseCalendar } from './close-calendar.ts';
import { readCustodyEffects } from './close-reading.ts';
import { readVaultNames } from './vault-names.ts';

/**
 * A day whose custody half cannot be read is tried again for this long before it is closed
 * without: a closed report never changes, and an API that is down for minutes should not be in it.
 */
const PATIENCE_MS = 3_600_000;

/** Times that a close is tried anew when facts came in between its reading and its writing. */
const TRIES_MAX = 5;

/**
 * Days that are closed by themselves when they were missed. A closed day is for good, and a clock that
 * jumps ahead by years must not close the years: beyond this a person says that it is right.
 */
export const DAYS_BY_THEMSELVES_MAX = 31;

export interface CloserOptions {
  readonly reads: Pick<
    Reads,
    | 'lastClose'
    | 'journalMark'
    | 'prepareClose'
    | 'custodyEffects'
    | 'firstRecordedAt'
    | 'custodyReadThrough'
    | 'reconcilerView'
  >;
  /** Hands facts to the one writer; resolves when they are durable. */
  readonly submit: (facts: readonly Submission[]) => Promise<readonly Submitted[]>;
  /** Absent: the reports say that custody was not compared. */
  readonly custody?: CustodyClient;
  readonly calendar: CloseCalendar;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/** How closing went. */
export type CloseResult =
  /** Every day asked for is closed; `days` are the ones closed now. */
  | { readonly kind: 'closed'; readonly days: readonly string[] }
  /** The next day waits for the custody API; `days` before it were closed. */
  | { readonly kind: 'postponed'; readonly days: readonly string[]; readonly reason: string }
  | { readonly kind: 'not_recorded'; readonly days: readonly string[]; readonly cause: string }
  /** It was stopped before the next day. */
  | { readonly kind: 'stopped'; readonly days: readonly string[] }
  | ({ readonly days: readonly string[] } & TooMany);

/** More days are due than are closed by themselves, from `since` on; none of them is. */
export interface TooMany {
  readonly kind: 'too_many';
  readonly since: string;
}

type Step =
  | { readonly kind: 'done' }
  | Extract<CloseResult, { readonly kind: 'postponed' | 'not_recorded' | 'stopped' }>;

const STOPPED = { kind: 'stopped', days: [] } as const;

/**
 * Closes days, one by one and in order. Those missed while the daemon was down are closed with the
 * next; only the last of them is compared with the custody API, which tells what is now and not
 * what was.
 */
export class Closer {
  readonly #options: CloserOptions;
  readonly #stopping = new AbortController();
  readonly #stopped = new Promise<undefined>((resolve) => {
    this.#stopping.signal.addEventListener('abort', () => resolve(undefined));
  });
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: CloserOptions) {
    this.#options = options;
  }

  /** Whether days are due by the schedule. */
  async due(): Promise<{ readonly kind: 'none' } | { readonly kind: 'some' } | TooMany> {
    const first = await this.#next();
    if (first === undefined || !this.#isDue(first)) return { kind: 'none' };
    return this.#areTooMany(first) ? { kind: 'too_many', since: first.day } : { kind: 'some' };
  }

  /** Closes every day that is due by the schedule, unless they are too many to be true. */
  closeDue(): Promise<CloseResult> {
    return this.#inTurn(async () => {
      const due = await this.due();
      if (due.kind === 'too_many') return { ...due, days: [] };
      return this.#closeWhile((day) => this.#isDue(day));
    });
  }

  /** Closes every day up to this one; the caller has seen that its cut-off has passed. */
  closeThrough(day: string): Promise<CloseResult> {
    const { now } = this.#options;
    return this.#inTurn(() => this.#closeWhile((one) => one.day <= day && one.cutOffAt <= now()));
  }

  /**
   * Closes no more days, and gives up the one under way unless it is with the writer already: another
   * start closes it, and what it read of the custody API may have been broken off.
   */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when no close is under way. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  #inTurn(run: () => Promise<CloseResult>): Promise<CloseResult> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #isDue(day: CalendarDay): boolean {
    const { calendar, now } = this.#options;
    return calendar.dueAt(day) <= now();
  }

  #areTooMany(first: CalendarDay): boolean {
    let day = first;
    for (let due = 0; due < DAYS_BY_THEMSELVES_MAX; due += 1) {
      if (!this.#isDue(day)) return false;
      day = this.#options.calendar.after(day);
    }
    return this.#isDue(day);
  }

  async #closeWhile(isWanted: (day: CalendarDay) => boolean): Promise<CloseResult> {
    const { calendar } = this.#options;
    const days: string[] = [];
    for (let day = await this.#next(); day !== undefined && isWanted(day);) {
      if (this.#stopping.signal.aborted) return { kind: 'stopped', days };
      const following = calendar.after(day);
      const step = await this.#close(day, isWanted(following) ? following : undefined);
      if (step.kind !== 'done') return { ...step, days };
      days.push(day.day);
      day = following;
    }
    return { kind: 'closed', days };
  }

  /** The day after the last closed one, or the first that the journal has a fact of. */
  async #next(): Promise<CalendarDay | undefined> {
    const { reads, calendar } = this.#options;
    const last = await reads.lastClose();
    if (last !== undefined) return calendar.after(last);
    const first = await reads.firstRecordedAt();
    return first === null ? undefined : calendar.day(calendar.dayAt(first));
  }

  async #close(day: CalendarDay, following: CalendarDay | undefined): Promise<Step> {
    const { calendar, now } = this.#options;
    const custody = await this.#readCustody(day, following);
    if (this.#stopping.signal.aborted) return STOPPED;
    const isPatient = this.#options.custody !== undefined && following === undefined;
    if (custody.kind === 'not_read' && isPatient && now() < calendar.dueAt(day) + PATIENCE_MS) {
      return { kind: 'postponed', days: [], reason: custody.reason };
    }
    const exempt = following === undefined ? { exempt: await this.#exempt() } : {};
    const names = await this.#names();
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const outcome = await this.#submit(day, { custody, ...exempt, ...names });
      if (outcome === 'stopped') return STOPPED;
      if (outcome?.kind === 'taken') return { kind: 'done' };
      if (outcome?.kind === 'busy') return { kind: 'not_recorded', days: [], cause: 'busy' };
      if (outcome?.kind === 'unavailable') {
        return { kind: 'not_recorded', days: [], cause: outcome.cause };
      }
    }
    return { kind: 'not_recorded', days: [], cause: 'the clock was set back over the cut-off' };
  }

  async #readCustody(
    day: CalendarDay,
    following: CalendarDay | undefined,
  ): Promise<CustodyReading> {
    const { custody, reads, now } = this.#options;
    if (custody === undefined) {
      return { kind: 'not_read', reason: 'custody is not configured', configured: false };
    }
    if (following !== undefined) {
      const reason = `closed late, together with ${following.day}: custody is compared in a later report`;
      return { kind: 'not_read', reason };
    }
    const since = await reads.custodyReadThrough();
    const last = await reads.lastClose();
    const cutOffs = [day.cutOffAt, ...(last === undefined ? [] : [last.cutOffAt])];
    return readCustodyEffects(since, { custody, reads, now, cutOffs });
  }

  async #exempt(): Promise<Readonly<Record<string, number>>> {
    const view = await this.#options.reads.reconcilerView({ hashes: [], transactionIds: [] });
    return countByRule([...view.exempt.values()]);
  }

  /** No day waits for names: a report without them has the ids. */
  async #names(): Promise<Pick<CloseRecord, 'vaultNames'>> {
    const { custody, now } = this.#options;
    const vaultNames = custody && (await readVaultNames(custody, now()));
    return vaultNames === undefined ? {} : { vaultNames };
  }

  async #submit(
    day: CalendarDay,
    found: Pick<CloseRecord, 'custody' | 'exempt' | 'vaultNames'>,
  ): Promise<Submitted | 'stopped' | undefined> {
    const { reads, calendar, graceMs, now, submit } = this.#options;
    const last = await reads.lastClose();
    const { throughSeq, seal } = await reads.journalMark(day.cutOffAt, last?.throughSeq ?? 0);
    const record: CloseRecord = {
      kind: 'close',
      day: day.day,
      timezone: calendar.timezone,
      cutOffAt: day.cutOffAt,
      graceMs,
      throughSeq,
      seal,
      exemptionsExplain: true,
      rules: 2,
      ...found,
    };
    // Worked out beside the writer, so that intake need not wait for it.
    const preparation = await Promise.race([reads.prepareClose(record), this.#stopped]);
    if (preparation === undefined) return 'stopped';
    const [outcome] = await submit([{ kind: 'prepared-close', at: now(), record, preparation }]);
    return outcome;
  }
}
