import type { Fact } from '../../domain/fact/fact.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CloseRecord } from '../../domain/close/record.ts';
import { CUSTODY_NOT_CONFIGURED } from '../../domain/close/report.ts';
import { countByRule } from '../../domain/break/exemption.ts';
import type { Submitted } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';
import type { CalendarDay, CloseCalendar } from './calendar.ts';
import { CustodyReader, type CustodyAttempt, type CutOffs } from './custody-effects.ts';
import { readVaultNames } from './vault-names.ts';

/**
 * How long a close waits for the custody API before it closes the day without the API's data, from
 * its first attempt, or from the last one that read a part. A closed report never changes, so an
 * outage of minutes must not appear in it, also when the close is late or its reading is long.
 */
const PATIENCE_MS = 3_600_000;

/** Most attempts of a close when new facts arrive between its reading and its writing. */
const TRIES_MAX = 5;

/**
 * Most missed days that are closed automatically. A close cannot be undone. So when a clock jumps
 * ahead by years, a person must confirm that the clock is right.
 */
export const DAYS_BY_THEMSELVES_MAX = 31;

export interface CloserOptions {
  readonly reads: Pick<
    Reads,
    | 'lastClose'
    | 'journalMark'
    | 'computeDay'
    | 'custodyEffects'
    | 'firstRecordedAt'
    | 'custodyReadThrough'
    | 'reconcilerView'
  >;
  /** Submits facts to the writer; resolves when they are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Absent: reports state that custody was not compared. */
  readonly custody?: CustodyClient;
  readonly calendar: CloseCalendar;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/** The result of a close. */
export type CloseResult =
  /** Every requested day is closed; `days` lists those closed by this call. */
  | { readonly kind: 'closed'; readonly days: readonly string[] }
  /** The next day waits for the custody API; the days in `days` were closed. */
  | { readonly kind: 'postponed'; readonly days: readonly string[]; readonly reason: string }
  | { readonly kind: 'not_recorded'; readonly days: readonly string[]; readonly cause: string }
  /** `stop` was called; the days in `days` were closed. */
  | { readonly kind: 'stopped'; readonly days: readonly string[] }
  | ({ readonly days: readonly string[] } & TooMany);

/** More days are due than are closed automatically, the first of them `since`. None was closed. */
export interface TooMany {
  readonly kind: 'too_many';
  readonly since: string;
}

/** What a close read before it computes the day. */
type Found = Pick<CloseRecord, 'custody' | 'exempt' | 'vaultNames'>;

type Step =
  | { readonly kind: 'done' }
  | Extract<CloseResult, { readonly kind: 'postponed' | 'not_recorded' | 'stopped' }>;

const STOPPED = { kind: 'stopped', days: [] } as const;

/**
 * Closes days one by one, in order. Days missed while the daemon was down are closed with the next
 * one. Only the last of them is compared with the custody API, because the API shows the current
 * state and no past state.
 */
export class Closer {
  readonly #options: CloserOptions;
  readonly #reader: CustodyReader | undefined;
  readonly #stopping = new AbortController();
  readonly #stopped = new Promise<undefined>((resolve) => {
    this.#stopping.signal.addEventListener('abort', () => resolve(undefined));
  });
  #turn: Promise<unknown> = Promise.resolve();
  /** The day that waits for the custody API; its first attempt, or the last one that read a part. */
  #awaited: { readonly day: string; readonly since: number } | undefined;

  constructor(options: CloserOptions) {
    this.#options = options;
    const { custody, reads, now, graceMs } = options;
    this.#reader = custody && new CustodyReader({ custody, reads, now, graceMs });
  }

  /** Whether days were due by the schedule at a time, Unix milliseconds. */
  async due(
    at = this.#options.now(),
  ): Promise<{ readonly kind: 'none' } | { readonly kind: 'some' } | TooMany> {
    const first = await this.#next();
    if (first === undefined || !this.#isDue(first, at)) return { kind: 'none' };
    return this.#areTooMany(first, at) ? { kind: 'too_many', since: first.day } : { kind: 'some' };
  }

  /**
   * Closes every day that was due by the schedule at a time. Closes none when too many were due: then
   * the clock is probably wrong. `at`: when the sweep before the close began. A machine may sleep for
   * days since, and that sweep compared nothing of a day that ended later.
   */
  closeDue(at = this.#options.now()): Promise<CloseResult> {
    return this.#inTurn(async () => {
      const due = await this.due(at);
      if (due.kind === 'too_many') return { ...due, days: [] };
      return this.#closeWhile((day) => this.#isDue(day, at));
    });
  }

  /** Closes every day up to `day`. The caller has checked that its cut-off has passed. */
  closeThrough(day: string): Promise<CloseResult> {
    const { now } = this.#options;
    return this.#inTurn(() => this.#closeWhile((one) => one.day <= day && one.cutOffAt <= now()));
  }

  /**
   * Closes no more days. Abandons the current close unless the writer already has it, because its
   * custody reading may have been cut off. The next start closes that day.
   */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when no close is running. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  #inTurn(run: () => Promise<CloseResult>): Promise<CloseResult> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #isDue(day: CalendarDay, at: number): boolean {
    return this.#options.calendar.dueAt(day) <= at;
  }

  #areTooMany(first: CalendarDay, at: number): boolean {
    let day = first;
    for (let due = 0; due < DAYS_BY_THEMSELVES_MAX; due += 1) {
      if (!this.#isDue(day, at)) return false;
      day = this.#options.calendar.after(day);
    }
    return this.#isDue(day, at);
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

  /**
   * The day after the last closed day; before the first close, the day of the journal's first fact.
   */
  async #next(): Promise<CalendarDay | undefined> {
    const { reads, calendar } = this.#options;
    const last = await reads.lastClose();
    if (last !== undefined) return calendar.after(last);
    const first = await reads.firstRecordedAt();
    return first === null ? undefined : calendar.day(calendar.dayAt(first));
  }

  async #close(day: CalendarDay, following: CalendarDay | undefined): Promise<Step> {
    const attempt = await this.#readCustody(day, following);
    const { reading: custody, next } = attempt;
    if (this.#stopping.signal.aborted) return STOPPED;
    if (custody.kind === 'not_read' && this.#isPatient(day, next)) {
      return { kind: 'postponed', days: [], reason: custody.reason };
    }
    const exempt = following === undefined ? { exempt: await this.#exempt() } : {};
    let found: Found = { custody, ...exempt, ...(await this.#names()) };
    let { lookUp } = attempt;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const computed = await this.#compute(day, found);
      if (computed === undefined) return STOPPED;
      const { fact, inDoubt } = computed;
      const completed = inDoubt.length === 0 ? undefined : await lookUp?.(inDoubt);
      if (this.#stopping.signal.aborted) return STOPPED;
      lookUp = undefined;
      if (completed !== undefined) {
        found = { ...found, custody: completed };
        continue;
      }
      const [outcome] = await this.#options.submit([{ ...fact, at: this.#options.now() }]);
      if (outcome?.kind === 'taken') return { kind: 'done' };
      if (outcome?.kind === 'busy') return { kind: 'not_recorded', days: [], cause: 'busy' };
      if (outcome?.kind === 'unavailable') {
        return { kind: 'not_recorded', days: [], cause: outcome.cause };
      }
    }
    return { kind: 'not_recorded', days: [], cause: 'the clock was set back over the cut-off' };
  }

  #isPatient({ day }: CalendarDay, next: CustodyAttempt['next']): boolean {
    if (next === 'none') return false;
    const at = this.#options.now();
    if (next === 'goes-on' || this.#awaited?.day !== day) this.#awaited = { day, since: at };
    return at < this.#awaited.since + PATIENCE_MS;
  }

  async #readCustody(
    day: CalendarDay,
    following: CalendarDay | undefined,
  ): Promise<CustodyAttempt> {
    const { reads } = this.#options;
    if (this.#reader === undefined) {
      const reason = CUSTODY_NOT_CONFIGURED;
      return { reading: { kind: 'not_read', reason, configured: false }, next: 'none' };
    }
    if (following !== undefined) {
      const reason = `closed late, together with ${following.day}: custody is compared in a later report`;
      return { reading: { kind: 'not_read', reason }, next: 'none' };
    }
    const before = await reads.custodyReadThrough();
    const last = await reads.lastClose();
    const cutOffs: CutOffs = last === undefined ? [day.cutOffAt] : [day.cutOffAt, last.cutOffAt];
    return this.#reader.read(before, cutOffs);
  }

  async #exempt(): Promise<Readonly<Record<string, number>>> {
    const view = await this.#options.reads.reconcilerView({ hashes: [], transactionIds: [] });
    return countByRule([...view.exempt.values()]);
  }

  /** A close does not wait for vault names: without them the report shows ids. */
  async #names(): Promise<Pick<CloseRecord, 'vaultNames'>> {
    const { custody, now } = this.#options;
    const vaultNames = custody && (await readVaultNames(custody, now()));
    return vaultNames === undefined ? {} : { vaultNames };
  }

  /** Undefined when the close was stopped. */
  async #compute(day: CalendarDay, found: Found) {
    const { reads, calendar, graceMs, now } = this.#options;
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
      carriesAfterCutOff: true,
      timingAgrees: true,
      resolvedAreCompared: true,
      rules: 2,
      ...found,
    };
    // A reader thread computes the report and the writer only inserts it, so that intake need not
    // wait.
    const done = await Promise.race([reads.computeDay(record, now()), this.#stopped]);
    if (done === undefined) return undefined;
    const { asOf, computed, inDoubt } = done;
    const fact = { kind: 'custody-record', record: { ...record, asOf }, computed } as const;
    return { fact, inDoubt };
  }
}
