import type { CustodyClient } from '../../custody/client.ts';
import { datedOf, effectOf, straddles } from '../../domain/close/counted-effect.ts';
import type { CountedEffect, CustodyReading } from '../../domain/close/record.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { BlockchainHash, TransactionId } from '../../domain/ids.ts';
import type { Reads } from '../../store/reads.ts';
import { AddressLists } from '../addresses/address-list.ts';
import { readCustodyList, type CustodyList } from '../list/custody-list.ts';
import { reachedBy, rereadFromOf, watermarkOf } from '../list/watermark.ts';

/**
 * Time limit: a day's list takes up to 100 requests, which the budget spreads over a minute or two.
 */
const CUSTODY_TIME_MS_MAX = 300_000;

/**
 * Most requests of a reading: five times as many as in a sweep, because a close only counts rows
 * and runs once a day.
 */
const REQUESTS_MAX = 100;

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

type CloseReads = Pick<Reads, 'custodyEffects' | 'firstRecordedAt'>;

function amountsText(amounts: CountedEffect['amounts']): string {
  return amounts.map(({ asset, amount }) => `${asset} ${amount}`).join('\n');
}

/** Transactions whose effect differs from what earlier closes counted. */
async function countedAnew(
  effects: readonly CountedEffect[],
  reads: CloseReads,
): Promise<CountedEffect[]> {
  const known = await reads.custodyEffects(effects.map(({ transactionId }) => transactionId));
  return effects.filter((effect) => {
    const rows = known.get(effect.transactionId) ?? [];
    const same =
      amountsText(rows) === amountsText(effect.amounts) &&
      rows.every(
        (row) => row.vaultId === effect.vaultId && row.blockchainHash === effect.blockchainHash,
      );
    return !same;
  });
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

async function readSince(
  since: number | null,
  context: { custody: CustodyClient; reads: CloseReads; now: () => number },
): Promise<CustodyList> {
  const { custody, reads, now } = context;
  const reading = (from: number | null): Promise<CustodyList> =>
    readCustodyList(custody, {
      since: from,
      overlapMs: OVERLAP_MS,
      priority: 'sweep',
      requestsMax: REQUESTS_MAX,
      deadlineMs: now() + CUSTODY_TIME_MS_MAX,
    });
  const list = await reading(since);
  if (since !== null || list.incomplete?.isTooLong !== true) return list;
  const first = await reads.firstRecordedAt();
  return first === null ? list : reading(first - FIRST_HISTORY_MS);
}

/** Adds to each effect with amounts when it moved. */
async function datedEffects(
  effects: readonly CountedEffect[],
  { transactions }: CustodyList,
  context: { custody: CustodyClient; now: () => number; cutOffs: readonly number[] },
): Promise<CountedEffect[]> {
  const found = effects.flatMap(({ transactionId }) => transactions.get(transactionId) ?? []);
  const unclear = found.filter((one) => context.cutOffs.some((moment) => straddles(one, moment)));
  const minedAt = await blockTimes(unclear, context);
  return effects.map((effect) => {
    const transaction = transactions.get(effect.transactionId);
    if (transaction === undefined || effect.amounts.length === 0) return effect;
    return { ...effect, ...datedOf(transaction, minedAt.get(effect.transactionId)) };
  });
}

/**
 * Reads what changed at the custody API since the last close that read it. Counts each transaction
 * by the API's data alone.
 */
export async function readCustodyEffects(
  since: number | null,
  context: {
    custody: CustodyClient;
    reads: CloseReads;
    now: () => number;
    /** Cut-offs between which movements are assigned to days, Unix milliseconds. */
    cutOffs: readonly number[];
  },
): Promise<CustodyReading> {
  const list = await readSince(since, context);
  if (list.incomplete !== null) return { kind: 'not_read', reason: list.incomplete.detail };
  const effects: CountedEffect[] = [];
  const pending: CustodyTransaction[] = [];
  for (const transaction of list.transactions.values()) {
    const effect = effectOf(transaction);
    if (effect === 'pending') pending.push(transaction);
    else effects.push(effect);
  }
  const counted = await datedEffects(await countedAnew(effects, context.reads), list, context);
  const now = context.now();
  const { newest } = list;
  const changedAt = pending.map(({ updatedAt }) => updatedAt);
  const rereadFrom = rereadFromOf(changedAt, reachedBy(newest, now));
  return {
    kind: 'read',
    readAt: now,
    requests: list.requests,
    watermark: watermarkOf({ known: since, newest, rereadFrom, now }),
    transactions: list.transactions.size,
    unreadable: list.unreadable,
    counted,
    pending: pending.flatMap(({ blockchainHash }): BlockchainHash[] =>
      blockchainHash === null ? [] : [blockchainHash],
    ),
  };
}
