import type { CustodyClient } from '../../custody/client.ts';
import {
  lacksChanges,
  type CustodyRecord,
  type CustodyTransaction,
  type RunAges,
} from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { Submitted } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';
import type { ReconciliationRow } from '../../store/records.ts';
import type { UnconfirmedRecords } from '../comparing/batch-comparison.ts';
import { NO_CUSTODY_RESULT, type CustodyResult, type RunContext } from './custody-result.ts';
import { readCustodyList, type CustodyList } from '../list/custody-list.ts';
import { refusalIn, submitInOrder, submitRecords } from '../comparing/evidence-order.ts';
import { FirstReadings } from '../comparing/first-readings.ts';
import { LongReading } from './long-reading.ts';
import { OldMatches } from './old-matches.ts';
import type { PublishedNetworks } from '../watching/published-networks.ts';
import { Repairs } from '../repair/repairs.ts';
import { Tally } from '../comparing/tally.ts';
import type { CustodyChanges } from '../verifying/custody-changes.ts';
import { VaultList } from '../watching/vault-list.ts';
import { WholeList } from './whole-list.ts';

/** Time limit of a run's API requests: a person may wait for the answer. */
const CUSTODY_TIME_MS_MAX = 45_000;

/** Time limit for comparing books with the chain view, a sixth of a minute. */
const LOCAL_TIME_MS_MAX = 10_000;

/**
 * How old the verifier's last reading may be for a run to use it. A run does so where verification
 * has used up the hour's requests.
 */
const SPARED_MS_MAX = 10_000;

/** After each commit a run pauses this many times the commit's duration, so that webhooks go first. */
const RESTS_PER_STEP = 3;

/**
 * Overlap besides the grace period: rows this much older than the watermark are read again, because
 * clocks differ and commits overlap.
 */
const OVERLAP_MS = 300_000;

/** Most unconfirmed withdrawals read per run. */
const WITHDRAWALS_MAX = 5_000;

/** Most deposits read per run whose hash only webhooks claim as our own. */
const DISPUTED_MAX = 1_000;

/** The subscriptions that we want. */
interface Subscribed {
  readonly webhookUrl: string;
  readonly vaults: 'all' | readonly string[];
}

export interface SweepOptions {
  readonly reads: Reads;
  /** Submits facts to the writer; resolves when they are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Absent: the daemon only keeps books and compares them with the chain view; nothing is credited. */
  readonly custody?: CustodyClient;
  /** The list's changes, shared with the verifier; absent: each run reads its own list. */
  readonly changes?: CustodyChanges | undefined;
  /** The API's networks, shared with other readers. */
  readonly networks?: PublishedNetworks | undefined;
  /** Absent: nothing is repaired; subscriptions and addresses are not checked. */
  readonly subscription?: Subscribed;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
  /** Pauses between two commits; absent: no pause. */
  readonly rest?: (ms: number) => Promise<void>;
  /** Aborts when runs shall end soon; absent: never. */
  readonly stopping?: AbortSignal;
  /** Ages at which records are stale and breaks escalate; absent: neither is checked. */
  readonly ages?: RunAges;
}

/** The run's row, or why it could not be written. */
export type SweepResult =
  | { readonly kind: 'ran'; readonly run: ReconciliationRow }
  | { readonly kind: 'not_recorded'; readonly cause: string };

/**
 * The frequent reconciliation. Reads pages into memory with no transaction open. Compares them with
 * a snapshot of our side by pure rules. Submits changes as facts: own outgoing transactions first,
 * because they make deposits internal; then deposits; last the run itself, which compares the books
 * with the chain view.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #whole: WholeList;
  readonly #long: LongReading;
  readonly #old = new OldMatches();

  constructor(options: SweepOptions) {
    this.#options = options;
    const { reads, networks, subscription, now, graceMs, changes } = options;
    const submit = (records: readonly CustodyRecord[]) => submitInOrder(records, options);
    const vaults = subscription && new VaultList(subscription.vaults);
    const repairs =
      subscription &&
      vaults &&
      new Repairs({ reads, networks, webhookUrl: subscription.webhookUrl, vaults, now });
    const firstReadings = new FirstReadings();
    this.#whole = new WholeList({ reads, repairs, vaults, firstReadings, now, graceMs, changes });
    this.#long = new LongReading({ reads, submit, repairs, firstReadings, now, graceMs });
  }

  /** Runs once. API failures are part of the result and never thrown. */
  async run(): Promise<SweepResult> {
    const { custody, now, graceMs, ages } = this.#options;
    const startedAt = now();
    const tally = new Tally();
    const half = custody === undefined ? NO_CUSTODY_RESULT : await this.#halfOf(custody, tally);
    const { changes } = this.#options;
    const records = changes?.currentOf(half.records, changes.unswept) ?? half.records;
    const untaken = await submitInOrder(records, this.#options);
    if (untaken !== null) changes?.detach();
    // A complete empty list has no watermark.
    else if (half.incomplete === null) changes?.attach(half.watermark);
    await this.#compareLocally();
    const run: CustodyRecord = {
      kind: 'run',
      startedAt,
      graceMs,
      ...(ages === undefined ? {} : { ages }),
      custody: tally.counts(),
      requests: half.requests,
      // Refused records must be read again: the next run starts from the same watermark.
      watermark: untaken === null ? half.watermark : null,
      incomplete: untaken ?? half.incomplete,
      ...(half.addresses === null ? {} : { addresses: half.addresses }),
      ...repairsOf(half, untaken === null),
      isBounded: true,
    };
    const [last] = await submitRecords([run], this.#options);
    if (last?.kind !== 'taken') return { kind: 'not_recorded', cause: refusalIn(last) ?? 'busy' };
    const stored = await this.#options.reads.reconciliation(last.seq);
    if (stored === undefined) throw new Error(`run at ${last.seq} was committed and is not there`);
    return { kind: 'ran', run: stored };
  }

  /**
   * Compares books with the chain view in short commits, so that webhooks are not delayed. Movements
   * beyond the time limit, or after the stop, are left to the next run and counted.
   */
  async #compareLocally(): Promise<void> {
    const { reads, now, graceMs, stopping } = this.#options;
    const deadlineMs = now() + LOCAL_TIME_MS_MAX;
    const isOver = (): boolean => now() >= deadlineMs || stopping?.aborted === true;
    while (!isOver() && (await reads.needsRunStep(now() - graceMs))) {
      const began = now();
      const [step] = await submitRecords([{ kind: 'run-step', graceMs }], this.#options);
      if (step?.kind !== 'taken') return;
      await this.#options.rest?.((now() - began) * RESTS_PER_STEP);
    }
  }

  /** Detaches the change stream when a run fails: it may have taken rows that it did not compare. */
  async #halfOf(custody: CustodyClient, tally: Tally): Promise<CustodyResult> {
    try {
      return await this.#askCustody(custody, tally);
    } catch (error) {
      this.#options.changes?.detach();
      throw error;
    }
  }

  async #askCustody(custody: CustodyClient, tally: Tally): Promise<CustodyResult> {
    const { reads, now, graceMs } = this.#options;
    const startedAt = now();
    const deadlineMs = startedAt + CUSTODY_TIME_MS_MAX;
    const overlapMs = graceMs + OVERLAP_MS;
    const waitingDepositCount = await reads.waitingDepositCount();
    const known = await reads.custodyWatermark();
    const priority = waitingDepositCount > 0 ? 'deposits' : 'sweep';
    const askedAfter = await reads.journalHead();
    const context: RunContext = {
      custody,
      priority,
      startedAt,
      deadlineMs,
      overlapMs,
      known,
      tally,
      askedAfter,
    };
    if (this.#long.isUnderWay) return this.#long.goOn(context, waitingDepositCount);
    const { list, unconfirmed, since } = await this.#readRows(context);
    tally.skip('unreadable_row', list.unreadable);
    const { requests, incomplete } = list;
    if (incomplete === null) return this.#whole.compare(list, unconfirmed, context);
    if (incomplete.isTooLong) {
      this.#long.begin({ ...context, known: since }, unconfirmed.deposits);
      const half = await this.#long.goOn(context, waitingDepositCount);
      return { ...half, requests: half.requests + requests };
    }
    // Verify nothing: a missing row may show that a hash is our own.
    const asked = unconfirmed.deposits.length + unconfirmed.withdrawals.length;
    tally.skip(incomplete.cause, Math.max(asked, 1));
    return { ...NO_CUSTODY_RESULT, requests, incomplete: incomplete.detail };
  }

  /** `since`: where a reading of the whole list begins. */
  async #readRows(
    context: RunContext,
  ): Promise<{ list: CustodyList; unconfirmed: UnconfirmedRecords; since: number | null }> {
    // Read before the list: records that arrive during the reading belong to the next run.
    const unconfirmed = await this.#unconfirmed();
    const old = await this.#readOldMatches(context, unconfirmed.deposits);
    if (old !== null) return { ...old, unconfirmed };
    const since = this.#long.since(context.known);
    const changed = await this.#readChanges(context, unconfirmed);
    if (changed !== null) return { ...changed, since };
    return { list: await this.#readList(context, since), unconfirmed, since };
  }

  /**
   * Reads what changed since the last run; the verifier has read most of it. Null: the stream is
   * detached, or rows without amounts must be read again.
   */
  async #readChanges(
    context: RunContext,
    asOfNow: UnconfirmedRecords,
  ): Promise<{ readonly list: CustodyList; readonly unconfirmed: UnconfirmedRecords } | null> {
    const { changes, now, graceMs } = this.#options;
    if (changes === undefined || changes.floor === null) return null;
    const paces = { priority: 'sweep', continuation: 'continuation' } as const;
    const read = await changes.read({ ...context, ...paces });
    if (changes.floor === null) return null;
    const isSpared =
      read.incomplete?.cause === 'rate_budget' && now() - changes.readAtMs < SPARED_MS_MAX;
    if (read.incomplete !== null && !isSpared) return { list: read, unconfirmed: asOfNow };
    const unconfirmed = isSpared ? seenBefore(asOfNow, changes.readAtMs) : asOfNow;
    const requests = isSpared ? 0 : read.requests;
    const transactions = changes.take(changes.unswept);
    const overdueAt = now() - graceMs;
    const isOverdue = (row: CustodyTransaction): boolean =>
      lacksChanges(row) && row.updatedAt < overdueAt;
    if ([...transactions.values()].some(isOverdue)) {
      changes.detach();
      return null;
    }
    // Compare unconfirmed records with rows shown earlier, although those did not change.
    const records = [...unconfirmed.deposits, ...unconfirmed.withdrawals];
    for (const row of changes.shown.about(records)) {
      if (!transactions.has(row.transactionId)) transactions.set(row.transactionId, row);
    }
    const shown = isSpared ? new Map<never, never>() : read.shown;
    const list = {
      ...read,
      shown,
      transactions,
      requests,
      newest: changes.floor,
      incomplete: null,
    };
    return { list, unconfirmed };
  }

  /** Reads the list from the oldest of many old matches on; null when it need not be, or did not begin. */
  async #readOldMatches(
    context: RunContext,
    deposits: readonly Deposit[],
  ): Promise<{ readonly list: CustodyList; readonly since: number | null } | null> {
    const { known, startedAt: at } = context;
    const since = this.#old.listedSince(deposits, { usual: this.#long.since(known), at });
    if (since === undefined) return null;
    const list = await this.#readList(context, since);
    return this.#old.began(list, at) ? { list, since } : null;
  }

  async #readList(context: RunContext, since: number | null): Promise<CustodyList> {
    const { custody } = context;
    const list = await readCustodyList(custody, { ...context, since });
    const { changes } = this.#options;
    // The verifier continues from here: it must know own transactions before it compares a deposit.
    if (changes !== undefined)
      changes.unverified.put(changes.shown.see(list.transactions.values()));
    return list;
  }

  async #unconfirmed(): Promise<UnconfirmedRecords> {
    const { reads, now, graceMs } = this.#options;
    return {
      deposits: await reads.waitingDeposits(),
      withdrawals: await reads.unconfirmedWithdrawals(WITHDRAWALS_MAX),
      disputed: await reads.disputedDeposits(now() - graceMs, DISPUTED_MAX),
    };
  }
}

/** Records that were unconfirmed when the list was read; later ones belong to the next run. */
function seenBefore(unconfirmed: UnconfirmedRecords, readAtMs: number): UnconfirmedRecords {
  return {
    ...unconfirmed,
    deposits: unconfirmed.deposits.filter(({ firstSeenAt }) => firstSeenAt < readAtMs),
  };
}

/** The run's repair counts; refused records count no backfill. */
function repairsOf(
  { repairs }: CustodyResult,
  isTaken: boolean,
): Pick<Extract<CustodyRecord, { kind: 'run' }>, 'repairs'> {
  const done = isTaken ? repairs : { ...repairs, backfilled: 0 };
  return Object.values(done).every((count) => count === 0) ? {} : { repairs: done };
}
