import { AGE_SPANS, openedWithin, type AgeSpan } from '../../domain/break/age-span.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { ReconciliationRow } from '../../store/records.ts';
import type { SignedDay, ShownBreak, StoreCounts } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { readDueCloses, type DayCloses } from '../parts/journal-days.ts';
import { attentionOf, REASONS_FOR_PEOPLE, type AttentionList } from './attention.ts';
import { readBreaksForPeople } from './breaks-for-people.ts';
import { NO_TIE_OUT, TieOuts, type TieOut } from './tie-out.ts';

const DEPOSITS_SHOWN = 12;
/** Held deposits of each reason, and unsigned days: the list of what waits shows as many. */
const ITEMS_SHOWN = 12;
const BACKLOGS_SHOWN = 5;
const BREAKS_SHOWN = 50;
/** All viewers share one read of the store for at least this long, milliseconds. */
const FRESH_MS = 1_000;
/** A slow read is shared longer: reading may cost a tenth of the time at most. */
const REST_PER_LOOK = 9;

export type ConsoleReads = Pick<
  Reads,
  | 'counts'
  | 'deposits'
  | 'oldestHeld'
  | 'breaks'
  | 'reconciliations'
  | 'pinnedDecimals'
  | 'closes'
  | 'unsignedCloses'
  | 'lastClose'
  | 'firstRecordedAt'
  | 'closedDay'
  | 'policy'
  | 'newestRecordedAt'
>;

/** Everything that the console shows. */
export interface Snapshot {
  readonly at: number;
  readonly counts: StoreCounts;
  readonly deposits: readonly Deposit[];
  readonly depositsTotal: number;
  readonly decimals: ReadonlyMap<string, number>;
  /** Everything that waits for a person. */
  readonly attention: AttentionList;
  /** Unresolved breaks by age, the youngest span first. */
  readonly breakAges: readonly { readonly span: AgeSpan; readonly count: number }[];
  /** Vaults whose notifications wait at the custody service. */
  readonly backlogs: readonly ShownBreak[];
  readonly lastRun: ReconciliationRow | undefined;
  /** The day closed last; undefined before the first close. */
  readonly lastClose: SignedDay | undefined;
  /** The newest closed day by asset; without rows before the first close. */
  readonly tieOut: TieOut;
  /** When the newest fact was recorded; null in an empty journal. */
  readonly newestFactAt: number | null;
  /** The time zone in which days end. */
  readonly timezone: string;
  /** When the next close is due, Unix milliseconds. */
  readonly nextCloseAt: number;
}

/** Counts the unresolved breaks of each span; the newest ones are what the others leave. */
async function breakAgesAt(
  reads: Pick<Reads, 'breaks'>,
  { total, at }: { total: number; at: number },
): Promise<Snapshot['breakAges']> {
  const ages = await Promise.all(
    AGE_SPANS.slice(1).map(async (span) => {
      const aged = {
        state: 'unresolved',
        sort: 'severity:desc',
        ...openedWithin(span, at),
      } as const;
      return { span, count: (await reads.breaks(aged, { page: 0, pageSize: 1 })).total };
    }),
  );
  const older = ages.reduce((sum, { count }) => sum + count, 0);
  return [{ span: AGE_SPANS[0], count: Math.max(0, total - older) }, ...ages];
}

/** Starts independent reads together, because each read waits in a queue. */
async function look(
  reads: ConsoleReads,
  tieOuts: TieOuts,
  { at, ...dayCloses }: DayCloses & { readonly at: number },
): Promise<Snapshot> {
  const first = (pageSize: number) => ({ page: 0, pageSize });
  const backlogged = { state: 'unresolved', type: 'delivery_backlog' } as const;
  const [breaks, backlogs, deposits, runs, closes, policy, held, unsigned, dueCloses, ...others] =
    await Promise.all([
      readBreaksForPeople(reads, { now: at, limit: BREAKS_SHOWN }),
      reads.breaks(backlogged, first(BACKLOGS_SHOWN)),
      reads.deposits({}, first(DEPOSITS_SHOWN)),
      reads.reconciliations(first(1)),
      reads.closes(first(1)),
      reads.policy(),
      reads.oldestHeld(REASONS_FOR_PEOPLE, ITEMS_SHOWN),
      reads.unsignedCloses(ITEMS_SHOWN),
      readDueCloses(reads, dayCloses),
      reads.counts(),
      reads.pinnedDecimals(),
      reads.newestRecordedAt(),
    ]);
  const [counts, decimals, newestFactAt] = others;
  const [lastClose] = closes.items;
  const [breakAges, tieOut] = await Promise.all([
    breakAgesAt(reads, { total: breaks.total + breaks.healing, at }),
    lastClose === undefined ? NO_TIE_OUT : tieOuts.of(lastClose.close),
  ]);
  return {
    at,
    counts,
    deposits: deposits.items,
    depositsTotal: deposits.total,
    decimals,
    attention: attentionOf({ breaks, held, unsigned, overdue: dueCloses.overdue, policy }),
    breakAges,
    backlogs: backlogs.items,
    lastRun: runs.items[0],
    lastClose,
    tieOut,
    newestFactAt,
    timezone: dayCloses.timezone,
    nextCloseAt: dueCloses.nextAt,
  };
}

/** Reads the store once for all viewers: their number adds no reads. */
export class Snapshots {
  readonly #reads: ConsoleReads;
  readonly #tieOuts: TieOuts;
  readonly #now: () => number;
  readonly #dayCloses: DayCloses;
  #latest: Promise<Snapshot> | undefined;
  /** The validity of the latest read; only one read runs at a time. */
  #fresh = { from: 0, until: 0 };

  constructor({
    reads,
    now,
    ...dayCloses
  }: { reads: ConsoleReads; now: () => number } & DayCloses) {
    this.#reads = reads;
    this.#tieOuts = new TieOuts(reads);
    this.#now = now;
    this.#dayCloses = dayCloses;
  }

  latest(): Promise<Snapshot> {
    if (this.#latest === undefined || !this.#isFresh(this.#now())) this.#latest = this.#lookAnew();
    return this.#latest;
  }

  /** Before `from`: the clock was set back. */
  #isFresh(now: number): boolean {
    return now >= this.#fresh.from && now < this.#fresh.until;
  }

  async #lookAnew(): Promise<Snapshot> {
    this.#fresh = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
    const started = this.#now();
    try {
      const snapshot = await look(this.#reads, this.#tieOuts, {
        at: started,
        ...this.#dayCloses,
      });
      const ended = this.#now();
      const restMs = Math.max(FRESH_MS, REST_PER_LOOK * (ended - started));
      this.#fresh = { from: ended, until: ended + restMs };
      return snapshot;
    } catch (error) {
      this.#latest = undefined;
      throw error;
    }
  }
}
