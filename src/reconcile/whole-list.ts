import { NO_REPAIRS, type CustodyTransaction } from '../domain/custody.ts';
import type { TransactionId } from '../domain/ids.ts';
import type { Reads } from '../store/reads.ts';
import { compareAll, takeSnapshot, type Waiting } from './all-rows.ts';
import { requestsOf, type CustodyHalf, type Visit } from './custody-half.ts';
import type { CustodyList } from './custody-list.ts';
import { DisputedHashes, type Disputes } from './disputed-hashes.ts';
import { InactiveChecks } from './inactive.ts';
import type { Mending } from './repair/mending.ts';
import { Stragglers, type LookedUp } from './stragglers.ts';
import { UnsettledMovements, type Settled } from './unsettled.ts';
import type { CustodyChanges } from './verifying/custody-changes.ts';
import type { VaultList } from './watching/vault-list.ts';
import { isReread, reachedBy, rereadFromOf, watermarkOf } from './watermark.ts';

/** Unsettled movements looked at per run. */
const UNSETTLED_MAX = 1_000;

interface WholeListOptions {
  readonly reads: Reads;
  /** Absent: nothing is mended, and no subscription looked at. */
  readonly mending: Mending | undefined;
  /** Whose addresses are asked for their own lists; absent: none. */
  readonly vaults: VaultList | undefined;
  readonly changes: CustodyChanges | undefined;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
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

/**
 * What follows from a list that was read whole: single look-ups of what it does not show, the
 * comparison of all rows, and what a run asks beside it, as addresses, subscriptions and what is
 * overdue. Keeps between runs whose turn it is to be asked for.
 */
export class WholeList {
  readonly #options: WholeListOptions;
  readonly #stragglers = new Stragglers();
  readonly #disputed = new DisputedHashes();
  readonly #unsettled = new UnsettledMovements();
  readonly #inactive: InactiveChecks | undefined;

  constructor(options: WholeListOptions) {
    this.#options = options;
    const { vaults, reads, graceMs, now } = options;
    if (vaults === undefined) return;
    this.#inactive = new InactiveChecks({ reads, vaults, graceMs, now });
  }

  /** `waiting`: as it was before the list was read. */
  async compare(list: CustodyList, waiting: Waiting, visit: Visit): Promise<CustodyHalf> {
    return this.#compareReading(await this.#lookUp(list, waiting, visit), waiting, visit);
  }

  /** The list's transactions, and those that only a look-up shows. */
  async #lookUp(list: CustodyList, waiting: Waiting, visit: Visit): Promise<Reading> {
    const { custody, deadlineMs, tally } = visit;
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
    const overdue = await this.#options.mending?.lookUp(list.transactions, visit);
    const transactions = new Map(list.transactions);
    for (const transaction of [
      ...(overdue?.transactions ?? []),
      ...disputes.transactions,
      ...found.transactions,
    ]) {
      transactions.set(transaction.transactionId, transaction);
    }
    const { newest } = list;
    const requests = requestsOf([list, disputes, found, overdue]);
    return { transactions, newest, absent: found, disputes, requests };
  }

  async #compareReading(reading: Reading, waiting: Waiting, visit: Visit): Promise<CustodyHalf> {
    const { custody, deadlineMs, tally, known } = visit;
    const { now, mending } = this.#options;
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
    const reached = reachedBy(newest, now());
    const again = compared.flatMap((one) => one.again ?? []);
    this.#options.changes?.unswept.put(again.filter((row) => isReread(row.updatedAt, reached)));
    const missed = compared.flatMap((one) => one.missed ?? []);
    const mended = await mending?.run(missed, { ...visit, snapshot });
    const settled = await this.#settle(transactions.values(), visit);
    const parts = [mended, settled].filter((part) => part !== undefined);
    return {
      records: [
        ...compared.flatMap((one) => one.record ?? []),
        ...disputes.records,
        ...parts.flatMap((part) => part.records),
        ...(judged?.records ?? []),
      ],
      requests: requestsOf([reading, looked, ...parts]),
      watermark: watermarkOf({
        known,
        newest,
        rereadFrom: rereadFromOf(
          again.map((row) => row.updatedAt),
          reached,
        ),
        now: now(),
      }),
      incomplete: null,
      addresses: judged?.checks ?? null,
      repairs: mended?.repairs ?? NO_REPAIRS,
    };
  }

  /** What the books moved and no chain view tells of. */
  async #settle(
    rows: Iterable<CustodyTransaction>,
    { custody, deadlineMs, tally }: Visit,
  ): Promise<Settled> {
    const { reads, now, graceMs, changes } = this.#options;
    const movements = await reads.unsettledMovements(UNSETTLED_MAX);
    const hashes = new Set(movements.map(({ blockchainHash }) => blockchainHash));
    const shown = changes?.shown.about({ transactionIds: new Set(), hashes }) ?? [];
    const known = new Map([...shown, ...rows].map((row) => [row.transactionId, row]));
    const settled = await this.#unsettled.settle({
      custody,
      movements,
      rows: known.values(),
      now: now(),
      graceMs,
      deadlineMs,
    });
    tally.skip('rate_budget', settled.postponed);
    tally.skip('api_unavailable', settled.failed);
    return settled;
  }
}
