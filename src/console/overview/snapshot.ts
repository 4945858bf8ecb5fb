import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { ReconciliationRow } from '../../store/records.ts';
import type { SignedDay, ShownBreak, StoreCounts } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';

const DEPOSITS_SHOWN = 20;
const CLOSES_SHOWN = 7;
export const BREAKS_SHOWN = 12;
/** All viewers share one read of the store for at least this long, milliseconds. */
const FRESH_MS = 1_000;
/** A slow read is shared longer: reading may cost a tenth of the time at most. */
const REST_PER_LOOK = 9;

export type ConsoleReads = Pick<
  Reads,
  'counts' | 'deposits' | 'breaks' | 'reconciliations' | 'pinnedDecimals' | 'closes'
>;

/** Everything that the console shows. */
export interface Snapshot {
  readonly at: number;
  readonly counts: StoreCounts;
  readonly deposits: readonly Deposit[];
  readonly depositsTotal: number;
  readonly decimals: ReadonlyMap<string, number>;
  /** The most urgent first. */
  readonly breaks: readonly ShownBreak[];
  readonly lastRun: ReconciliationRow | undefined;
  /** Closed days, the newest first. */
  readonly closes: readonly SignedDay[];
}

async function look(reads: ConsoleReads, at: number): Promise<Snapshot> {
  const urgent = { state: 'unresolved', sort: 'severity:desc' } as const;
  const breaks = await reads.breaks(urgent, { page: 0, pageSize: BREAKS_SHOWN });
  const deposits = await reads.deposits({}, { page: 0, pageSize: DEPOSITS_SHOWN });
  const runs = await reads.reconciliations({ page: 0, pageSize: 1 });
  const closes = await reads.closes({ page: 0, pageSize: CLOSES_SHOWN });
  return {
    at,
    counts: await reads.counts(),
    deposits: deposits.items,
    depositsTotal: deposits.total,
    decimals: await reads.pinnedDecimals(),
    breaks: breaks.items,
    lastRun: runs.items[0],
    closes: closes.items,
  };
}

/** Reads the store once for all viewers: their number adds no reads. */
export class Snapshots {
  readonly #reads: ConsoleReads;
  readonly #now: () => number;
  #latest: Promise<Snapshot> | undefined;
  /** The validity of the latest read; only one read runs at a time. */
  #fresh = { from: 0, until: 0 };

  constructor(options: { reads: ConsoleReads; now: () => number }) {
    this.#reads = options.reads;
    this.#now = options.now;
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
      const snapshot = await look(this.#reads, started);
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
