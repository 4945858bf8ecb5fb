import { NO_REPAIRS, type CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { Reads } from '../../store/reads.ts';
import {
  compareAll,
  takeSnapshot,
  type UnconfirmedRecords,
} from '../comparing/batch-comparison.ts';
import { mustBeReadAgain } from '../comparing/older-row.ts';
import { requestsOf, type CustodyResult, type RunContext } from './custody-result.ts';
import type { CustodyList } from '../list/custody-list.ts';
import { DifferingMovements } from '../lookup/differing-movements.ts';
import { DisputedHashes, type Disputes } from '../lookup/disputed-hashes.ts';
import { AddressRound } from '../addresses/address-round.ts';
import type { Repairs } from '../repair/repairs.ts';
import { RenamedDeposits } from '../lookup/renamed-deposits.ts';
import { SingleLookups, type LookupResult } from '../lookup/single-lookups.ts';
import { UnconfirmedMovements, type SumComparison } from '../lookup/unconfirmed-movements.ts';
import type { FirstReadings } from '../comparing/first-readings.ts';
import type { CustodyChanges } from '../verifying/custody-changes.ts';
import type { VaultList } from '../watching/vault-list.ts';
import { PendingRows } from '../list/pending-rows.ts';
import { reachedBy, rereadFromOf, watermarkOf } from '../list/watermark.ts';

/** Most unconfirmed movements read per run. */
const MOVEMENTS_MAX = 1_000;

/** Of this many newest deposits, the verified ones must still be shown by the custody API. */
const NEWEST_MAX = 2_000;

interface WholeListOptions {
  readonly reads: Reads;
  /** Absent: nothing is repaired, no subscription is checked. */
  readonly repairs: Repairs | undefined;
  /** Vaults whose address lists are read; absent: none. */
  readonly vaults: VaultList | undefined;
  readonly changes: CustodyChanges | undefined;
  readonly firstReadings: FirstReadings;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/** A complete reading of the custody API's list. */
interface Reading {
  readonly transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  /** Newest `updatedAt` of the list. */
  readonly newest: number | null;
  readonly absent: LookupResult;
  readonly disputes: Disputes;
  readonly requests: number;
}

/**
 * Processes a complete list: looks up records that the list does not show, compares all rows, then
 * checks addresses, subscriptions and overdue transactions. Keeps the rotation of these checks
 * between runs.
 */
export class WholeList {
  readonly #options: WholeListOptions;
  readonly #absent = new SingleLookups();
  readonly #disputed = new DisputedHashes();
  readonly #renamed = new RenamedDeposits();
  readonly #movements = new UnconfirmedMovements();
  readonly #differing: DifferingMovements;
  readonly #inactive: AddressRound | undefined;
  readonly #pending: PendingRows;

  constructor(options: WholeListOptions) {
    this.#options = options;
    this.#pending = new PendingRows(options.graceMs);
    const { vaults, reads, graceMs, now } = options;
    this.#differing = new DifferingMovements(reads);
    if (vaults === undefined) return;
    this.#inactive = new AddressRound({ reads, vaults, graceMs, now });
  }

  /** `unconfirmed` was read before the list. */
  async compare(
    list: CustodyList,
    unconfirmed: UnconfirmedRecords,
    context: RunContext,
  ): Promise<CustodyResult> {
    return this.#compareReading(
      await this.#lookUp(list, unconfirmed, context),
      unconfirmed,
      context,
    );
  }

  /** The list's transactions and those of look-ups. */
  async #lookUp(
    list: CustodyList,
    unconfirmed: UnconfirmedRecords,
    context: RunContext,
  ): Promise<Reading> {
    const { custody, deadlineMs, tally, askedAfter } = context;
    const { now, graceMs } = this.#options;
    const disputes = await this.#disputed.ask({
      custody,
      deposits: unconfirmed.disputed,
      now: now(),
      graceMs,
      deadlineMs,
    });
    const found = await this.#absent.lookUp({
      custody,
      listed: list.transactions,
      shown: list.shown,
      deposits: unconfirmed.deposits,
      verified: await this.#verifiedBefore(list, context),
      // A webhook may precede the API: do not look up younger records.
      withdrawals: unconfirmed.withdrawals.filter(
        ({ transactionId, firstSeenAt }) =>
          !list.transactions.has(transactionId) && now() - firstSeenAt >= graceMs,
      ),
      now: now(),
      graceMs,
      deadlineMs,
    });
    tally.skip('rate_budget', disputes.postponed + found.postponed);
    tally.skip('api_unavailable', disputes.failed + found.failed);
    const overdue = await this.#options.repairs?.lookUp(list.transactions, context);
    const differing = await this.#differing.lookUp({ custody, now: now(), deadlineMs, tally });
    const transactions = new Map(list.transactions);
    for (const transaction of [
      ...(overdue?.transactions ?? []),
      ...differing.transactions,
      ...disputes.transactions,
      ...found.transactions,
    ]) {
      transactions.set(transaction.transactionId, { askedAfter, ...transaction });
    }
    const { newest } = list;
    const requests = requestsOf([list, disputes, found, overdue, differing]);
    return { transactions, newest, absent: found, disputes, requests };
  }

  /**
   * Newest verified deposits that the list should show, if their transaction is in its range. Those
   * that were credited or verified during the run may be newer than the list.
   */
  async #verifiedBefore(list: CustodyList, { startedAt }: RunContext): Promise<Deposit[]> {
    if (list.shown.size === 0) return [];
    const newest = await this.#options.reads.newestVerified(NEWEST_MAX);
    return newest.filter(
      ({ credit, verifiedAt }) => (credit?.creditedAt ?? verifiedAt ?? startedAt) < startedAt,
    );
  }

  async #compareReading(
    reading: Reading,
    unconfirmed: UnconfirmedRecords,
    context: RunContext,
  ): Promise<CustodyResult> {
    const { custody, deadlineMs, tally, known, askedAfter } = context;
    const { now, repairs } = this.#options;
    const { newest, absent, disputes } = reading;
    const { disowned } = disputes;
    const transactions = new Map(reading.transactions);
    const looked = await this.#inactive?.look({ custody, deadlineMs });
    for (const one of looked?.transactions ?? []) {
      transactions.set(one.transactionId, { askedAfter, ...one });
    }
    const movements = looked?.rows.map((row) => row.movement) ?? [];
    const rows = [...transactions.values()];
    const { withdrawals } = unconfirmed;
    const about = { ...this.#options, others: movements, withdrawals };
    const snapshot = await takeSnapshot(rows, about);
    const renamed = await this.#renamed.lookUp(transactions, { custody, snapshot, deadlineMs });
    const compared = await compareAll({
      transactions,
      absent,
      unconfirmed,
      disowned,
      renamed: renamed.unknown,
      snapshot,
    });
    for (const { outcome } of compared) tally.add(outcome);
    const addresses = looked && this.#inactive?.compare(looked, snapshot);
    if (addresses) tally.addAll(addresses.checks.outcomes);
    const again = compared.flatMap((one) => one.again ?? []);
    const pending = this.#pendingOf(again, newest);
    const { changes } = this.#options;
    const outdated = new Set(again.filter((row) => mustBeReadAgain(row, snapshot)));
    for (const row of outdated) changes?.readAgain(row);
    changes?.unswept.put(pending.filter((row) => !outdated.has(row)));
    const missed = compared.flatMap((one) => one.missed ?? []);
    const repaired = await repairs?.run(missed, { ...context, snapshot });
    const sums = await this.#compareSums(transactions.values(), context);
    const parts = [repaired, sums].filter((part) => part !== undefined);
    return {
      records: [
        ...compared.flatMap((one) => one.record ?? []),
        ...disputes.records,
        ...parts.flatMap((part) => part.records),
        ...(addresses?.records ?? []),
      ],
      requests: requestsOf([reading, looked, renamed, ...parts]),
      watermark: watermarkOf({
        known,
        newest,
        rereadFrom: rereadFromOf(pending),
        now: now(),
      }),
      incomplete: null,
      addresses: addresses?.checks ?? null,
      repairs: repaired?.repairs ?? NO_REPAIRS,
    };
  }

  #pendingOf(
    rows: readonly CustodyTransaction[],
    newest: number | null,
  ): readonly CustodyTransaction[] {
    const now = this.#options.now();
    this.#pending.begin();
    return rows.filter((row) => this.#pending.isReadAgain(row, reachedBy(newest, now), now));
  }

  /** Compares movements of the books that have no chain view. */
  async #compareSums(
    rows: Iterable<CustodyTransaction>,
    { custody, deadlineMs, tally }: RunContext,
  ): Promise<SumComparison> {
    const { reads, now, graceMs, changes } = this.#options;
    const movements = await reads.unconfirmedMovements(MOVEMENTS_MAX);
    const unnamed = movements.map(({ blockchainHash }) => ({
      transactionId: null,
      blockchainHash,
    }));
    const shown = changes?.shown.about(unnamed) ?? [];
    const known = new Map([...shown, ...rows].map((row) => [row.transactionId, row]));
    const sums = await this.#movements.compareSums({
      custody,
      movements,
      rows: known.values(),
      now: now(),
      graceMs,
      deadlineMs,
    });
    tally.skip('rate_budget', sums.postponed);
    tally.skip('api_unavailable', sums.failed);
    return sums;
  }
}
