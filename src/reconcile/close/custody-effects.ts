import type { CustodyClient } from '../../custody/client.ts';
import { datedOf, straddles } from '../../domain/close/counted-effect.ts';
import type { CountedEffect, CustodyReading } from '../../domain/close/record.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { BlockchainHash, TransactionId } from '../../domain/ids.ts';
import type { HashInDoubt, ReadThrough } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { AddressLists } from '../addresses/address-list.ts';
import { describeCause } from '../list/custody-list.ts';
import { isReread, reachedBy, rereadFromOf, watermarkOf } from '../list/watermark.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { ATTEMPT_REQUESTS_MAX, ChangedTransactions } from './changed-transactions.ts';

/**
 * Most requests of a reading over all attempts: about 260,000 transactions. One fact holds all that
 * must be counted again.
 */
const REQUESTS_MAX = 300;

/**
 * Overlap with the last reading, because clocks differ: rows that changed this long before its end
 * are read again.
 */
const OVERLAP_MS = 900_000;

/** Most address lists read for block times. At midnight few receipts are unclear. */
const BLOCK_REQUESTS_MAX = 40;
const BLOCK_TIME_MS_MAX = 30_000;

/** Start of the first reading, relative to the first fact, when the whole history is too long. */
const FIRST_HISTORY_MS = 86_400_000;

interface ReaderOptions {
  readonly custody: CustodyClient;
  readonly reads: Pick<Reads, 'custodyEffects' | 'firstRecordedAt'>;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/**
 * The end of the closed day, and that of the day closed before it: movements are assigned to days
 * between them. Unix milliseconds.
 */
export type CutOffs = readonly [closed: number, ...before: number[]];

/** What an attempt read, and whether another attempt may read more. */
export interface CustodyAttempt {
  readonly reading: CustodyReading;
  /**
   * `goes-on`: this attempt read a part, and the next one reads more. `retry`: this attempt failed,
   * and the next one may not. `none`: the reading is complete or cannot be completed.
   */
  readonly next: 'none' | 'goes-on' | 'retry';
  /**
   * Asks for transactions that a complete list left out, and for counted ones that the API does not
   * know any more. Resolves to the completed reading, or to undefined when there are none. Absent
   * without a complete list.
   */
  readonly lookUp?: (hashes: readonly HashInDoubt[]) => Promise<CustodyReading | undefined>;
}

/**
 * Reads the block times of receipts whose records do not show on which side of a cut-off they were
 * mined, because each further confirmation changes a record. Reads as many addresses as the budget
 * allows. Other receipts are dated by their records.
 */
async function blockTimes(
  unclear: readonly CustodyTransaction[],
  { custody, now }: { custody: CustodyClient; now: () => number },
): Promise<ReadonlyMap<TransactionId, number>> {
  const times = new Map<TransactionId, number>();
  const byAddress = groupedBy(unclear, ({ vaultId, addressId }) => `${vaultId} ${addressId ?? ''}`);
  const lists = new AddressLists();
  let room = Math.min(BLOCK_REQUESTS_MAX, custody.room('inactive'));
  for (const transactions of byAddress.values()) {
    const [first] = transactions;
    if (room <= 0) break;
    if (first?.addressId === null || first === undefined) continue;
    const address = { vaultId: first.vaultId, addressId: first.addressId };
    const at = now();
    const read = await lists.read(address, {
      custody,
      deadlineMs: at + BLOCK_TIME_MS_MAX,
      room,
      now: at,
    });
    room -= read.requests;
    for (const { transactionId, blockchainHash } of transactions) {
      const mined = read.movements.find((one) => one.blockchainHash === blockchainHash);
      if (typeof mined?.minedAt === 'number') times.set(transactionId, mined.minedAt);
    }
  }
  return times;
}

/** Adds to each effect with amounts when it moved. */
async function datedEffects(
  { changed, gone }: ChangedTransactions,
  context: ReaderOptions & { readonly cutOffs: CutOffs },
): Promise<CountedEffect[]> {
  const unclear = changed
    .filter(({ effect }) => effect.amounts.length > 0)
    .map(({ transaction }) => transaction)
    .filter((one) => context.cutOffs.some((moment) => straddles(one, moment)));
  const minedAt = await blockTimes(unclear, context);
  const dated = changed.map(({ transaction, effect }) => {
    if (effect.amounts.length === 0) return effect;
    return { ...effect, ...datedOf(transaction, minedAt.get(effect.transactionId)) };
  });
  return [...dated, ...gone];
}

/**
 * Reads what changed at the custody API since the last close that read it. Counts each transaction
 * by the API's data alone. A long list takes several attempts, and each goes on where the last one
 * stopped.
 */
export class CustodyReader {
  readonly #options: ReaderOptions;
  /** Turns of hashes in doubt: a close asks for a few only. A restart begins anew. */
  readonly #hashes = new LookupBackoff<HashInDoubt>(({ blockchainHash }) => blockchainHash);
  #underWay: { readonly since: number | null; readonly list: ChangedTransactions } | undefined;
  /** A list since this time was too long. It only grows, so it is not read again. */
  #tooLong: { readonly since: number | null; readonly transactions: number } | undefined;
  /** Start of a first history that is too long to read whole; null when none is. */
  #firstFloor: number | null = null;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads, or goes on. `before`: the reading of the last comparison; null before the first one.
   */
  async read(before: ReadThrough | null, cutOffs: CutOffs): Promise<CustodyAttempt> {
    const since = before?.watermark ?? null;
    if (this.#tooLong?.since === since) return tooLong(this.#tooLong);
    if (this.#underWay?.since !== since) this.#underWay = undefined;
    this.#underWay ??= { since, list: this.#begin(since) };
    const { list } = this.#underWay;
    const [cutOffAt] = cutOffs;
    const end = await list.goOn({ ...this.#options, cutOffAt });
    if (end.kind === 'paused') {
      if (!end.progressed) return { reading: notRead(describeCause(end.cause)), next: 'retry' };
      const reason = `${list.transactions} changed transactions were read so far: the close reads the others in the next minutes`;
      return { reading: notRead(reason), next: 'goes-on' };
    }
    this.#underWay = undefined;
    if (end.kind === 'complete') {
      const read = () => this.#readingOf(list, { before, cutOffs });
      const lookUp: CustodyAttempt['lookUp'] = async (hashes) =>
        (await list.lookUp(hashes, { ...this.#options, backoff: this.#hashes }))
          ? read()
          : undefined;
      return { reading: await read(), next: 'none', lookUp };
    }
    if (end.cause.kind !== 'too-long') {
      return { reading: notRead(describeCause(end.cause)), next: 'retry' };
    }
    if (since === null && this.#firstFloor === null) {
      const first = await this.#options.reads.firstRecordedAt();
      if (first !== null) {
        this.#firstFloor = first - FIRST_HISTORY_MS;
        return this.read(before, cutOffs);
      }
    }
    this.#tooLong = { since, transactions: list.transactions };
    return tooLong(this.#tooLong);
  }

  #begin(since: number | null): ChangedTransactions {
    const { reads } = this.#options;
    const oldest = since ?? this.#firstFloor;
    // The whole history may span years, so the first reading tries only what one attempt can read.
    if (oldest === null) {
      const floor = Number.NEGATIVE_INFINITY;
      return new ChangedTransactions({ reads, floor, requestsMax: ATTEMPT_REQUESTS_MAX });
    }
    const floor = oldest - OVERLAP_MS;
    return new ChangedTransactions({ reads, floor, requestsMax: REQUESTS_MAX });
  }

  async #readingOf(
    list: ChangedTransactions,
    { before, cutOffs }: { readonly before: ReadThrough | null; readonly cutOffs: CutOffs },
  ): Promise<CustodyReading> {
    const counted = await datedEffects(list, { ...this.#options, cutOffs });
    const now = this.#options.now();
    const { newest, pending, inProgress, requests, unreadable, transactions } = list;
    const known = before?.watermark ?? null;
    const reached = reachedBy(newest, now);
    // After an outage of days, this reading is the first that shows rows older than a day.
    const firstShownAfter = (before?.readAt ?? Number.NEGATIVE_INFINITY) - OVERLAP_MS;
    const changedWithin = (end: number) => (row: CustodyTransaction) =>
      row.updatedAt > firstShownAfter || isReread(row.updatedAt, end);
    const rereadFrom = rereadFromOf(pending.filter(changedWithin(reached)));
    return {
      kind: 'read',
      readAt: now,
      requests,
      watermark: watermarkOf({ known, newest, rereadFrom, now }),
      transactions,
      unreadable,
      counted,
      pending: [...pending, ...inProgress.filter(changedWithin(now))].flatMap(
        ({ blockchainHash }): BlockchainHash[] => (blockchainHash === null ? [] : [blockchainHash]),
      ),
    };
  }
}

function notRead(reason: string): CustodyReading {
  return { kind: 'not_read', reason };
}

function tooLong({ transactions }: { readonly transactions: number }): CustodyAttempt {
  const reason = `more transactions changed since custody was last compared than a close reads (it read ${transactions}): neither this day nor a later one can be compared. Sweeps still compare each transaction: check every open break before you sign`;
  return { reading: notRead(reason), next: 'none' };
}
