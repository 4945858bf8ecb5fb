import type { CustodyClient } from '../custody/client.ts';
import { samePlace } from '../domain/compare.ts';
import { NO_POLICY } from '../domain/crediting.ts';
import type {
  AddressChecks,
  CustodyRecord,
  CustodyTransaction,
  RunAges,
} from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { Fact } from '../domain/fact.ts';
import type { BlockchainHash, NetworkKey, TransactionId } from '../domain/ids.ts';
import type { Submitted } from '../store/port.ts';
import type { Reads } from '../store/reads.ts';
import type { ReconciliationRow } from '../store/records.ts';
import { watchBacklogs } from './backlog-watch.ts';
import {
  compareDepositRow,
  compareOutgoingRow,
  compareUnseenRow,
  depositsOf,
  dossierKeyOf,
  type Compared,
  type Snapshot,
} from './comparison.ts';
import { readCustodyList, type CustodyList } from './custody-list.ts';
import { InactiveChecks } from './inactive.ts';
import type { PublishedNetworks } from './published-networks.ts';
import { Repair } from './repair.ts';
import { SubscriptionWatch } from './subscription-watch.ts';
import { Stragglers } from './stragglers.ts';
import { Tally } from './tally.ts';
import { VaultList } from './vault-list.ts';

/** A run asks the API for no longer than this, so that a person who waits gets an answer. */
const CUSTODY_TIME_MS_MAX = 45_000;

/**
 * Rows that changed this much before the watermark are read again, beside the grace period in which
 * a difference is not reported yet: clocks and commits overlap.
 */
const OVERLAP_MS = 300_000;

/** How long rows that cannot be compared keep the watermark from passing them. */
const REREAD_MS_MAX = 86_400_000;

/** Where the first reading ends when the whole list was too long to read: this long before. */
const FIRST_HISTORY_MS = 86_400_000;

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
  /** A history too long to be read whole is begun here instead; null until that is known. */
  #firstFloor: number | null = null;
  readonly #repair: Repair | undefined;
  readonly #watch: SubscriptionWatch | undefined;
  readonly #inactive: InactiveChecks | undefined;

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

  /**
   * Hands evidence to the writer; the reason when not all of it was taken. Own outgoing
   * transactions go first, and nothing follows them unless all were taken: a deposit must never be
   * verified before its hash is known to be our own.
   */
  async #submitInOrder(records: readonly CustodyRecord[]): Promise<string | null> {
    const own = records.filter((record) => record.kind === 'outgoing');
    const rest = records.filter((record) => record.kind !== 'outgoing');
    for (const part of [own, rest]) {
      const outcomes = await this.#submit(part);
      const refusal = outcomes.map(refusalIn).find((reason) => reason !== null);
      if (refusal !== undefined) return `the store did not take all evidence (${refusal})`;
    }
    return null;
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
    const waiting = await reads.waitingDeposits();
    const known = await reads.custodyWatermark();
    const priority = waiting.length > 0 ? 'deposits' : 'sweep';
    const list = await readCustodyList(custody, {
      since: known ?? this.#firstFloor,
      overlapMs: graceMs + OVERLAP_MS,
      priority,
      deadlineMs,
    });
    tally.skip('unreadable_row', list.unreadable);
    if (list.incomplete !== null) {
      if (known === null) this.#firstFloor = firstFloorOf(waiting, now());
      // Positive evidence could be trusted, but a hash that is our own might be on the missing rows.
      tally.skip(list.incomplete.cause, Math.max(waiting.length, 1));
      const { requests } = list;
      const incomplete = list.incomplete.detail;
      return { ...NO_CUSTODY, requests, incomplete };
    }
    const found = await this.#stragglers.lookUp({
      custody,
      deposits: waiting.filter((deposit) => !isListed(deposit, list)),
      now: now(),
      deadlineMs,
    });
    tally.skip('rate_budget', found.postponed);
    tally.skip('api_unavailable', found.failed);
    const transactions = new Map(list.transactions);
    for (const transaction of found.transactions) {
      transactions.set(transaction.transactionId, transaction);
    }
    const looked = await this.#inactive?.look({ custody, deadlineMs });
    for (const one of looked?.transactions ?? []) transactions.set(one.transactionId, one);
    const movements = looked?.rows.map((row) => row.movement) ?? [];
    const snapshot = await this.#snapshot([...transactions.values()], [...waiting, ...movements]);
    const compared = compareAll({ transactions, absent: found.absent, waiting, snapshot });
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
    return {
      records: [
        ...compared.flatMap((one) => one.record ?? []),
        ...(repaired?.records ?? []),
        ...(watched?.records ?? []),
        ...(backlogs?.records ?? []),
        ...(judged?.records ?? []),
      ],
      requests: sumOf([list, found, repaired, watched, backlogs, looked]),
      watermark: watermarkOf({ known, newest: list.newest, compared, now: now() }),
      incomplete: null,
      addresses: judged?.checks ?? null,
    };
  }

  async #snapshot(
    rows: readonly CustodyTransaction[],
    others: readonly { network: NetworkKey; blockchainHash: BlockchainHash }[],
  ): Promise<Snapshot> {
    const { reads, now, graceMs } = this.#options;
    const hashes = new Map<string, { network: NetworkKey; blockchainHash: BlockchainHash }>();
    for (const { network, blockchainHash } of [...rows, ...others]) {
      if (blockchainHash === null) continue;
      hashes.set(dossierKeyOf({ network, blockchainHash }), { network, blockchainHash });
    }
    const ids: TransactionId[] = rows
      .filter((row) => row.type === 'outgoing')
      .map((row) => row.transactionId);
    const view = await reads.reconcilerView({ hashes: [...hashes.values()], transactionIds: ids });
    return {
      dossiers: new Map(view.dossiers.map((one) => [dossierKeyOf(one), one])),
      withdrawals: new Map(view.withdrawals.map((one) => [one.transactionId, one])),
      openBreaks: view.openBreaks,
      pinnedDecimals: view.pinnedDecimals,
      policy: view.policy ?? NO_POLICY,
      at: now(),
      graceMs,
    };
  }
}

function sumOf(parts: readonly ({ readonly requests: number } | null | undefined)[]): number {
  return parts.reduce((sum, part) => sum + (part?.requests ?? 0), 0);
}

function firstFloorOf(waiting: readonly Deposit[], now: number): number {
  return Math.min(now, ...waiting.map((deposit) => deposit.firstSeenAt)) - FIRST_HISTORY_MS;
}

/** Why an outcome means that a fact was not taken, or null when it was. */
function refusalIn(outcome: Submitted | undefined): string | null {
  if (outcome?.kind === 'busy') return 'busy';
  return outcome?.kind === 'unavailable' ? outcome.cause : null;
}

/**
 * Up to where the list is done with: the newest row, but not past rows that could not be compared
 * yet (for a day at most: one that never can must not hold the watermark for ever), nor past now (a
 * row with a wrong clock must not end every later list at once).
 */
function watermarkOf(context: {
  known: number | null;
  newest: number | null;
  compared: readonly Compared[];
  now: number;
}): number | null {
  const { known, newest, compared, now } = context;
  if (newest === null) return known;
  const reached = Math.min(newest, now);
  const waiting = compared
    .flatMap(({ rereadFrom }) => rereadFrom ?? [])
    .filter((changedAt) => changedAt > reached - REREAD_MS_MAX);
  return Math.max(known ?? Number.NEGATIVE_INFINITY, Math.min(reached, ...waiting));
}

function isListed(deposit: Deposit, list: CustodyList): boolean {
  const { transactionId } = deposit;
  if (transactionId !== null) return list.transactions.has(transactionId);
  return [...list.transactions.values()].some((row) => samePlace(deposit, row));
}

/** Own outgoing transactions first: they decide which deposits are internal. */
function compareAll(context: {
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  absent: readonly Deposit[];
  waiting: readonly Deposit[];
  snapshot: Snapshot;
}): Compared[] {
  const { transactions, absent, snapshot } = context;
  const rows = [...transactions.values()];
  const outgoing = rows
    .filter((row) => row.type === 'outgoing')
    .map((row) => compareOutgoingRow(row, snapshot));
  const own = new Set(
    rows.filter((row) => row.type === 'outgoing' && row.blockchainHash !== null).map(dossierKeyOf),
  );
  const incoming = rows
    .filter((row) => row.type === 'incoming')
    .flatMap((row) => {
      const deposits = depositsOf(row, snapshot).map((deposit) =>
        own.has(dossierKeyOf(deposit)) ? { ...deposit, ownTransfer: true } : deposit,
      );
      return deposits.length === 0
        ? [compareUnseenRow(row, snapshot)]
        : deposits.map((deposit) => compareDepositRow(deposit, row, snapshot));
    });
  const gone = absent.map((deposit) => compareDepositRow(deposit, null, snapshot));
  const misplaced = misplacedDeposits(context).map(({ deposit, row }) =>
    compareDepositRow(deposit, row, snapshot),
  );
  return [...outgoing, ...incoming, ...gone, ...misplaced];
}

/** Deposits whose transactionId the API knows as something else: another hash, vault or direction. */
function misplacedDeposits(context: {
  transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  waiting: readonly Deposit[];
}): { deposit: Deposit; row: CustodyTransaction }[] {
  return context.waiting.flatMap((deposit) => {
    const row =
      deposit.transactionId === null ? undefined : context.transactions.get(deposit.transactionId);
    if (row === undefined) return [];
    const placed =
      row.type === 'incoming' &&
      row.vaultId === deposit.vaultId &&
      row.network === deposit.network &&
      row.blockchainHash === deposit.blockchainHash;
    return placed ? [] : [{ deposit, row }];
  });
}
