import type { CustodyClient } from '../custody/client.ts';
import type {
  AddressChecks,
  CustodyRecord,
  CustodyTransaction,
  RunAges,
} from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { TransactionId } from '../domain/ids.ts';
import type { Fact } from '../domain/fact.ts';
import type { Submitted } from '../store/port.ts';
import type { Reads } from '../store/reads.ts';
import type { ReconciliationRow } from '../store/records.ts';
import {
  compareAll,
  NOTHING_ABSENT,
  NOTHING_WAITING,
  takeSnapshot,
  type Waiting,
} from './all-rows.ts';
import { watchBacklogs } from './backlog-watch.ts';
import type { Compared } from './comparison.ts';
import { readCustodyList, type CustodyList } from './custody-list.ts';
import { DisputedHashes, type Disputes } from './disputed-hashes.ts';
import { refusalIn, submitInOrder } from './evidence-order.ts';
import { InactiveChecks } from './inactive.ts';
import { LongList, type LongListVisit } from './long-list.ts';
import type { PublishedNetworks } from './published-networks.ts';
import { Repair } from './repair.ts';
import { SubscriptionWatch } from './subscription-watch.ts';
import { Stragglers, type LookedUp } from './stragglers.ts';
import { Tally } from './tally.ts';
import { UnsettledMovements, type Settled } from './unsettled.ts';
import { VaultList } from './vault-list.ts';
import { reachedBy, rereadFromOf, watermarkOf } from './watermark.ts';

/** A run asks the API for no longer than this, so that a person who waits gets an answer. */
const CUSTODY_TIME_MS_MAX = 45_000;

/**
 * Rows that changed this much before the watermark are read again, beside the grace period in which
 * a difference is not reported yet: clocks and commits overlap.
 */
const OVERLAP_MS = 300_000;

/** Transactions per run that are handed to the repairs; the others are read again. */
const MISSED_MAX = 2_000;

/** Where the first reading ends when the whole list was too long to read: this long before. */
const FIRST_HISTORY_MS = 86_400_000;

/** Withdrawals that the API has not confirmed, of which those that the list does not show are asked for. */
const WITHDRAWALS_MAX = 5_000;

/** Deposits whose hash webhooks alone call our own, of which those of the first hashes are asked for. */
const DISPUTED_MAX = 1_000;

/** Unsettled movements looked at per run. */
const UNSETTLED_MAX = 1_000;

export interface SweepOptions {
  readonly reads: Reads;
  /** Hands facts to the one writer; resolves when they are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Absent: the daemon keeps books and the local half; nothing is ever credited. */
  readonly custody?: CustodyClient;
  /** The API's list of networks, shared with whoever else asks for it. */
  readonly networks?: PublishedNetworks | undefined;
  /** Our side of the subscriptions; absent: nothing is repaired, and no subscription looked at. */
  readonly subscription?: {
    readonly webhookUrl: string;
    readonly vaults: 'all' | readonly string[];
  };
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
  /** When waiting is stale and breaks escalate; absent: neither is judged. */
  readonly ages?: RunAges;
}

/** How a run ended: its row, or why even that could not be written. */
export type SweepResult =
  | { readonly kind: 'ran'; readonly run: ReconciliationRow }
  | { readonly kind: 'not_recorded'; readonly cause: string };

interface CustodyHalf {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  readonly watermark: number | null;
  readonly incomplete: string | null;
  readonly addresses: AddressChecks | null;
}

/** What the custody API showed in a whole reading. */
interface Reading {
  readonly transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  /** Newest `updatedAt` of the list. */
  readonly newest: number | null;
  readonly absent: LookedUp;
  readonly disputes: Disputes;
  readonly requests: number;
}

/** What a comparison has with it. */
interface Context {
  readonly visit: Omit<LongListVisit, 'take'>;
  readonly tally: Tally;
  readonly known: number | null;
}

/** A long list on its way, and from where it must be read again: rows not compared or not mended. */
interface LongReading {
  readonly list: LongList;
  rereadFrom: number;
}

const NO_CUSTODY: CustodyHalf = {
  records: [],
  requests: 0,
  watermark: null,
  incomplete: null,
  addresses: null,
};

/**
 * The frequent reconciliation. Reads pages into memory with no transaction open, compares them
 * with a snapshot of our side by pure rules, and hands what changes anything to the writer as
 * facts: own outgoing transactions first (they make deposits internal), then deposits (verified,
 * credited, or broken), then the run itself, on which the local half (books against chain view) is
 * judged.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #stragglers = new Stragglers();
  readonly #disputed = new DisputedHashes();
  readonly #unsettled = new UnsettledMovements();
  /** A history too long to be read whole is begun here instead; null until that is known. */
  #firstFloor: number | null = null;
  readonly #repair: Repair | undefined;
  readonly #watch: SubscriptionWatch | undefined;
  readonly #inactive: InactiveChecks | undefined;
  /** A list too long for one run, as far as it was read; null when there is none. */
  #long: LongReading | null = null;

  constructor(options: SweepOptions) {
    this.#options = options;
    const { subscription } = options;
    if (subscription === undefined) return;
    this.#repair = new Repair(subscription);
    const vaults = new VaultList(subscription.vaults);
    this.#watch = new SubscriptionWatch({ webhookUrl: subscription.webhookUrl, vaults });
    const { reads, graceMs, now } = options;
    this.#inactive = new InactiveChecks({ reads, vaults, graceMs, now });
  }

  /** One run; never throws for what the API does. */
  async run(): Promise<SweepResult> {
    const { custody, now, graceMs, ages } = this.#options;
    const startedAt = now();
    const tally = new Tally();
    const half = custody === undefined ? NO_CUSTODY : await this.#compareCustody(custody, tally);
    const untaken = await this.#submitInOrder(half.records);
    const run: CustodyRecord = {
      kind: 'run',
      startedAt,
      graceMs,
      ...(ages === undefined ? {} : { ages }),
      custody: tally.counts(),
      requests: half.requests,
      // Evidence that was not taken must be read again: the next run begins where this one did.
      watermark: untaken === null ? half.watermark : null,
      incomplete: untaken ?? half.incomplete,
      ...(half.addresses === null ? {} : { addresses: half.addresses }),
    };
    const [last] = await this.#submit([run]);
    if (last?.kind !== 'taken') return { kind: 'not_recorded', cause: refusalIn(last) ?? 'busy' };
    const stored = await this.#options.reads.reconciliation(last.seq);
    if (stored === undefined) throw new Error(`run at ${last.seq} was committed and is not there`);
    return { kind: 'ran', run: stored };
  }

  #submitInOrder(records: readonly CustodyRecord[]): Promise<string | null> {
    return submitInOrder(records, (part) => this.#submit(part));
  }

  #submit(records: readonly CustodyRecord[]): Promise<readonly Submitted[]> {
    const at = this.#options.now();
    return this.#options.submit(
      records.map((record) => ({ kind: 'custody-record', at, record }) as const),
    );
  }

  async #compareCustody(custody: CustodyClient, tally: Tally): Promise<CustodyHalf> {
    const { reads, now, graceMs } = this.#options;
    const deadlineMs = now() + CUSTODY_TIME_MS_MAX;
    const waitingCount = await reads.waitingDepositCount();
    const known = await reads.custodyWatermark();
    const priority = waitingCount > 0 ? 'deposits' : 'sweep';
    const overlapMs = graceMs + OVERLAP_MS;
    const visit = { custody, priority, deadlineMs, overlapMs } as const;
    if (this.#long !== null) return this.#goOn(this.#long, { visit, tally, waitingCount, known });
    // Before the list: what arrives while it is read is not on it, and for the next run.
    const waiting: Waiting = {
      deposits: await reads.waitingDeposits(),
      withdrawals: await reads.waitingWithdrawals(WITHDRAWALS_MAX),
      disputed: await reads.disputedDeposits(now() - graceMs, DISPUTED_MAX),
    };
    const list = await readCustodyList(custody, {
      ...visit,
      since: known ?? this.#firstFloor,
    });
    tally.skip('unreadable_row', list.unreadable);
    if (list.incomplete !== null) {
      if (list.incomplete.isTooLong) {
        this.#firstFloor ??= firstFloorOf(waiting.deposits, now());
        const floor = (known ?? this.#firstFloor) - overlapMs;
        this.#long = { list: new LongList({ floor }), rereadFrom: Infinity };
        const half = await this.#goOn(this.#long, { visit, tally, waitingCount, known });
        return { ...half, requests: half.requests + list.requests };
      }
      // Positive evidence could be trusted, but a hash that is our own might be on the missing rows.
      const asked = waiting.deposits.length + waiting.withdrawals.length;
      tally.skip(list.incomplete.cause, Math.max(asked, 1));
      const { requests } = list;
      const incomplete = list.incomplete.detail;
      return { ...NO_CUSTODY, requests, incomplete };
    }
    const context = { visit, tally, known };
    return this.#compareList(await this.#lookUp(list, waiting, context), waiting, context);
  }

  /** The list's transactions, and those that only a look-up shows. */
  async #lookUp(list: CustodyList, waiting: Waiting, { visit, tally }: Context): Promise<Reading> {
    const { custody, deadlineMs } = visit;
    const { now, graceMs } = this.#options;
    const disputes = await this.#disputed.ask({
      custody,
      deposits: waiting.disputed,
      now: now(),
      graceMs,
      deadlineMs,
    });
    const found = await this.#stragglers.lookUp({
      custody,
      listed: list.transactions,
      deposits: waiting.deposits,
      // A transaction may be told of before the API shows it: what is younger is not asked for.
      withdrawals: waiting.withdrawals.filter(
        ({ transactionId, firstSeenAt }) =>
          !list.transactions.has(transactionId) && now() - firstSeenAt >= graceMs,
      ),
      now: now(),
      deadlineMs,
    });
    tally.skip('rate_budget', disputes.postponed + found.postponed);
    tally.skip('api_unavailable', disputes.failed + found.failed);
    const transactions = new Map(list.transactions);
    for (const transaction of [...disputes.transactions, ...found.transactions]) {
      transactions.set(transaction.transactionId, transaction);
    }
    const { newest } = list;
    const requests = sumOf([list, disputes, found]);
    return { transactions, newest, absent: found, disputes, requests };
  }

  /** Compares a list that is whole, and what belongs beside it: stragglers, addresses, repairs. */
  async #compareList(
    reading: Reading,
    waiting: Waiting,
    { visit, tally, known }: Context,
  ): Promise<CustodyHalf> {
    const { custody, deadlineMs } = visit;
    const { now } = this.#options;
    const { newest, absent, disputes } = reading;
    const { disowned } = disputes;
    const transactions = new Map(reading.transactions);
    const looked = await this.#inactive?.look({ custody, deadlineMs });
    for (const one of looked?.transactions ?? []) transactions.set(one.transactionId, one);
    const movements = looked?.rows.map((row) => row.movement) ?? [];
    const rows = [...transactions.values()];
    const { withdrawals } = waiting;
    const about = { ...this.#options, others: movements, withdrawals };
    const snapshot = await takeSnapshot(rows, about);
    const compared = await compareAll({ transactions, absent, waiting, disowned, snapshot });
    for (const { outcome } of compared) tally.add(outcome);
    const judged = looked && this.#inactive?.judge(looked, snapshot);
    if (judged) tally.addAll(judged.checks.outcomes);
    const missed = compared.flatMap((one) => one.missed ?? []);
    const repaired = await this.#repair?.run(missed, { custody, deadlineMs });
    const { networks } = this.#options;
    const watched = await this.#watch?.run({
      ...snapshot,
      custody,
      networks,
      now: now(),
      deadlineMs,
    });
    const open = snapshot.openBreaks.values();
    const backlogs =
      repaired && (await watchBacklogs({ custody, seen: repaired.seen, missed, open, deadlineMs }));
    const settled = await this.#settle(transactions.values(), { custody, deadlineMs, tally });
    const parts = [repaired, watched, backlogs, settled].filter((part) => part !== undefined);
    return {
      records: [
        ...compared.flatMap((one) => one.record ?? []),
        ...disputes.records,
        ...parts.flatMap((part) => part.records),
        ...(judged?.records ?? []),
      ],
      requests: sumOf([reading, looked, ...parts]),
      watermark: watermarkOf({
        known,
        newest,
        rereadFrom: rereadFromOf(changeTimes(compared), reachedBy(newest, now())),
        now: now(),
      }),
      incomplete: null,
      addresses: judged?.checks ?? null,
    };
  }

  /** What the books moved and no chain view tells of. */
  async #settle(
    rows: Iterable<CustodyTransaction>,
    visit: { custody: CustodyClient; deadlineMs: number; tally: Tally },
  ): Promise<Settled> {
    const { reads, now, graceMs } = this.#options;
    const { tally, ...asked } = visit;
    const movements = await reads.unsettledMovements(UNSETTLED_MAX);
    const settled = await this.#unsettled.settle({
      ...asked,
      movements,
      rows,
      now: now(),
      graceMs,
    });
    tally.skip('rate_budget', settled.postponed);
    tally.skip('api_unavailable', settled.failed);
    return settled;
  }

  /**
   * Reads a part of a list that is too long for one run, and makes each page's outcome durable before
   * the next is read. Only at its end is the list known, and what it did not show asked for singly.
   */
  async #goOn(
    long: LongReading,
    context: {
      visit: Omit<LongListVisit, 'take'>;
      tally: Tally;
      waitingCount: number;
      known: number | null;
    },
  ): Promise<CustodyHalf> {
    const { visit, tally, waitingCount, known } = context;
    const { now } = this.#options;
    const missed: CustodyTransaction[] = [];
    let ended = 0;
    const take = async (rows: readonly CustodyTransaction[]): Promise<boolean> => {
      const about = { ...this.#options, others: [], withdrawals: [] };
      const snapshot = await takeSnapshot(rows, about);
      const transactions = new Map(rows.map((row) => [row.transactionId, row]));
      const compared = await compareAll({
        transactions,
        absent: NOTHING_ABSENT,
        waiting: NOTHING_WAITING,
        snapshot,
      });
      for (const { outcome } of compared) tally.add(outcome);
      ended += compared.length;
      const reached = reachedBy(long.list.newest, now());
      long.rereadFrom = Math.min(long.rereadFrom, rereadFromOf(changeTimes(compared), reached));
      for (const one of compared) {
        if (one.missed !== null && missed.length < MISSED_MAX) missed.push(one.missed);
      }
      const untaken = await this.#submitInOrder(compared.flatMap((one) => one.record ?? []));
      return untaken === null;
    };
    const part = await long.list.goOn({ ...visit, take });
    const { custody, deadlineMs } = visit;
    const repaired = await this.#repair?.run(missed, { custody, deadlineMs });
    tally.skip('unreadable_row', part.unreadable);
    const half = {
      ...NO_CUSTODY,
      records: repaired?.records ?? [],
      requests: sumOf([part, repaired]),
    };
    if (part.unfinished === null) {
      this.#long = null;
      const { rereadFrom } = long;
      const { newest } = long.list;
      return { ...half, watermark: watermarkOf({ known, newest, rereadFrom, now: now() }) };
    }
    if (part.unfinished.kind === 'failed') this.#long = null;
    tally.skip(part.unfinished.cause, Math.max(waitingCount - ended, 1));
    return { ...half, incomplete: part.unfinished.detail };
  }
}

/** When the rows changed that could not be compared or mended yet. */
function changeTimes(compared: readonly Compared[]): (number | null)[] {
  return compared.map(({ rereadFrom }) => rereadFrom);
}

function sumOf(parts: readonly ({ readonly requests: number } | null | undefined)[]): number {
  return parts.reduce((sum, part) => sum + (part?.requests ?? 0), 0);
}

function firstFloorOf(waiting: readonly Deposit[], now: number): number {
  const oldest = waiting.reduce((first, one) => Math.min(first, one.firstSeenAt), now);
  return oldest - FIRST_HISTORY_MS;
}
