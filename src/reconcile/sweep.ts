import type { CustodyClient } from '../custody/client.ts';
import {
  lacksChanges,
  type CustodyRecord,
  type CustodyTransaction,
  type RunAges,
} from '../domain/custody.ts';
import type { Fact } from '../domain/fact.ts';
import type { Submitted } from '../store/port.ts';
import type { Reads } from '../store/reads.ts';
import type { ReconciliationRow } from '../store/records.ts';
import type { Waiting } from './all-rows.ts';
import { NO_CUSTODY, type CustodyHalf, type Visit } from './custody-half.ts';
import { readCustodyList, type CustodyList } from './custody-list.ts';
import { refusalIn, submitInOrder } from './evidence-order.ts';
import { LongReading } from './long-reading.ts';
import type { PublishedNetworks } from './watching/published-networks.ts';
import { Mending } from './repair/mending.ts';
import { Tally } from './tally.ts';
import type { CustodyChanges } from './verifying/custody-changes.ts';
import { VaultList } from './watching/vault-list.ts';
import { WholeList } from './whole-list.ts';

/** A run asks the API for no longer than this, so that a person who waits gets an answer. */
const CUSTODY_TIME_MS_MAX = 45_000;

/** A run judges differences between books and chain view for no longer than this, a minute's sixth. */
const LOCAL_TIME_MS_MAX = 10_000;

/** Between two of its commits a run waits so many times as long: most of the writer is for webhooks. */
const RESTS_PER_STEP = 3;

/**
 * Rows that changed this much before the watermark are read again, beside the grace period in which
 * a difference is not reported yet: clocks and commits overlap.
 */
const OVERLAP_MS = 300_000;

/** Withdrawals that the API has not confirmed, of which those that the list does not show are asked for. */
const WITHDRAWALS_MAX = 5_000;

/** Deposits whose hash webhooks alone call our own, of which those of the first hashes are asked for. */
const DISPUTED_MAX = 1_000;

/** Our side of the subscriptions. */
interface Subscribed {
  readonly webhookUrl: string;
  readonly vaults: 'all' | readonly string[];
}

export interface SweepOptions {
  readonly reads: Reads;
  /** Hands facts to the one writer; resolves when they are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Absent: the daemon keeps books and the local half; nothing is ever credited. */
  readonly custody?: CustodyClient;
  /** The list as a stream of changes, shared with the verifier; absent: each run reads its own list. */
  readonly changes?: CustodyChanges | undefined;
  /** The API's list of networks, shared with whoever else asks for it. */
  readonly networks?: PublishedNetworks | undefined;
  /** Absent: nothing is repaired, and no subscription or address looked at. */
  readonly subscription?: Subscribed;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
  /** Waits between two commits of the local half; absent: they follow one another at once. */
  readonly rest?: (ms: number) => Promise<void>;
  /** When waiting is stale and breaks escalate; absent: neither is judged. */
  readonly ages?: RunAges;
}

/** How a run ended: its row, or why even that could not be written. */
export type SweepResult =
  | { readonly kind: 'ran'; readonly run: ReconciliationRow }
  | { readonly kind: 'not_recorded'; readonly cause: string };

/**
 * The frequent reconciliation. Reads pages into memory with no transaction open, compares them
 * with a snapshot of our side by pure rules, and hands what changes anything to the writer as
 * facts: own outgoing transactions first (they make deposits internal), then deposits (verified,
 * credited, or broken), then the run itself, on which the local half (books against chain view) is
 * judged.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #whole: WholeList;
  readonly #long: LongReading;

  constructor(options: SweepOptions) {
    this.#options = options;
    const { reads, networks, subscription, now, graceMs, changes } = options;
    const vaults = subscription && new VaultList(subscription.vaults);
    const mending =
      subscription &&
      vaults &&
      new Mending({ reads, networks, webhookUrl: subscription.webhookUrl, vaults, now });
    this.#whole = new WholeList({ reads, mending, vaults, now, graceMs, changes });
    const submit = (records: readonly CustodyRecord[]) => this.#submitInOrder(records);
    this.#long = new LongReading({ reads, submit, mending, now, graceMs });
  }

  /** One run; never throws for what the API does. */
  async run(): Promise<SweepResult> {
    const { custody, now, graceMs, ages } = this.#options;
    const startedAt = now();
    const tally = new Tally();
    const half = custody === undefined ? NO_CUSTODY : await this.#halfOf(custody, tally);
    const { changes } = this.#options;
    const records =
      changes === undefined
        ? half.records
        : half.records.filter((record) => changes.shown.isCurrent(record));
    const untaken = await this.#submitInOrder(records);
    if (untaken !== null) changes?.detach();
    // A list that was read to its end and is empty leaves no watermark.
    else if (half.incomplete === null) changes?.attach(half.watermark);
    await this.#judgeLocally();
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
      ...repairsOf(half, untaken === null),
      isBounded: true,
    };
    const [last] = await this.#submit([run]);
    if (last?.kind !== 'taken') return { kind: 'not_recorded', cause: refusalIn(last) ?? 'busy' };
    const stored = await this.#options.reads.reconciliation(last.seq);
    if (stored === undefined) throw new Error(`run at ${last.seq} was committed and is not there`);
    return { kind: 'ran', run: stored };
  }

  /**
   * Judges what is more than the run's own commit takes, a commit at a time so that webhooks have
   * their turn. What the time does not suffice for is for the next run, which counts it.
   */
  async #judgeLocally(): Promise<void> {
    const { reads, now, graceMs } = this.#options;
    const deadlineMs = now() + LOCAL_TIME_MS_MAX;
    while (now() < deadlineMs && (await reads.needsRunStep(now() - graceMs))) {
      const began = now();
      const [step] = await this.#submit([{ kind: 'run-step', graceMs }]);
      if (step?.kind !== 'taken') return;
      await this.#options.rest?.((now() - began) * RESTS_PER_STEP);
    }
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

  /** A run that breaks off may have taken rows that nobody compares any more. */
  async #halfOf(custody: CustodyClient, tally: Tally): Promise<CustodyHalf> {
    try {
      return await this.#askCustody(custody, tally);
    } catch (error) {
      this.#options.changes?.detach();
      throw error;
    }
  }

  async #askCustody(custody: CustodyClient, tally: Tally): Promise<CustodyHalf> {
    const { reads, now, graceMs } = this.#options;
    const deadlineMs = now() + CUSTODY_TIME_MS_MAX;
    const overlapMs = graceMs + OVERLAP_MS;
    const waitingCount = await reads.waitingDepositCount();
    const known = await reads.custodyWatermark();
    const priority = waitingCount > 0 ? 'deposits' : 'sweep';
    const visit: Visit = { custody, priority, deadlineMs, overlapMs, known, tally };
    if (this.#long.isUnderWay) return this.#long.goOn(visit, waitingCount);
    // Before the list: what arrives while it is read is not on it, and for the next run.
    const waiting = await this.#waiting();
    const list = (await this.#readChanges(visit, waiting)) ?? (await this.#readList(visit));
    tally.skip('unreadable_row', list.unreadable);
    const { requests, incomplete } = list;
    if (incomplete === null) return this.#whole.compare(list, waiting, visit);
    if (incomplete.isTooLong) {
      this.#long.begin(visit, waiting.deposits);
      const half = await this.#long.goOn(visit, waitingCount);
      return { ...half, requests: half.requests + requests };
    }
    // Positive evidence could be trusted, but a hash that is our own might be on the missing rows.
    const asked = waiting.deposits.length + waiting.withdrawals.length;
    tally.skip(incomplete.cause, Math.max(asked, 1));
    return { ...NO_CUSTODY, requests, incomplete: incomplete.detail };
  }

  /**
   * What changed since the last run, of which the verifier has read most. Null: nobody knows from
   * where to read on, or rows must be read again, since they lacked their amounts.
   */
  async #readChanges(visit: Visit, waiting: Waiting): Promise<CustodyList | null> {
    const { changes, now, graceMs } = this.#options;
    if (changes === undefined || changes.floor === null) return null;
    const read = await changes.read({ ...visit, priority: 'sweep' });
    if (changes.floor === null) return null;
    if (read.incomplete !== null) return read;
    const transactions = changes.unswept.take();
    const overdueAt = now() - graceMs;
    const isOverdue = (row: CustodyTransaction): boolean =>
      lacksChanges(row) && row.updatedAt < overdueAt;
    if ([...transactions.values()].some(isOverdue)) {
      changes.detach();
      return null;
    }
    // What waits is compared with what the API has shown of it, although that is no news.
    for (const row of changes.shown.about(subjectsOf(waiting))) {
      if (!transactions.has(row.transactionId)) transactions.set(row.transactionId, row);
    }
    return { ...read, transactions, newest: changes.floor };
  }

  async #readList(visit: Visit): Promise<CustodyList> {
    const { custody, known } = visit;
    const list = await readCustodyList(custody, { ...visit, since: this.#long.since(known) });
    const { changes } = this.#options;
    // The verifier must know of own transactions before it judges a deposit: it reads on from here.
    if (changes !== undefined)
      changes.unverified.put(changes.shown.see(list.transactions.values()));
    return list;
  }

  async #waiting(): Promise<Waiting> {
    const { reads, now, graceMs } = this.#options;
    return {
      deposits: await reads.waitingDeposits(),
      withdrawals: await reads.waitingWithdrawals(WITHDRAWALS_MAX),
      disputed: await reads.disputedDeposits(now() - graceMs, DISPUTED_MAX),
    };
  }
}

/** The transactions and hashes that what waits is about. */
function subjectsOf({ deposits, withdrawals }: Waiting) {
  const all = [...deposits, ...withdrawals];
  return {
    transactionIds: new Set(all.flatMap(({ transactionId }) => transactionId ?? [])),
    hashes: new Set(
      deposits.flatMap((one) => (one.transactionId === null ? one.blockchainHash : [])),
    ),
  };
}

/** What the run says that it repaired; evidence that was not taken backfilled nothing. */
function repairsOf(
  { repairs }: CustodyHalf,
  isTaken: boolean,
): Pick<Extract<CustodyRecord, { kind: 'run' }>, 'repairs'> {
  const done = isTaken ? repairs : { ...repairs, backfilled: 0 };
  return Object.values(done).every((count) => count === 0) ? {} : { repairs: done };
}
