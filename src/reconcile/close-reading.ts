import type { CustodyClient } from '../custody/client.ts';
import { datedOf, effectOf, straddles } from '../domain/close-effect.ts';
import type { CountedEffect, CustodyReading } from '../domain/close-record.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import { groupedBy } from '../domain/grouped.ts';
import type { BlockchainHash, TransactionId } from '../domain/ids.ts';
import type { Reads } from '../store/reads.ts';
import { AddressLists } from './address-list.ts';
import { readCustodyList, type CustodyList } from './custody-list.ts';
import { reachedBy, rereadFromOf, watermarkOf } from './watermark.ts';

/** A day's list is up to a hundred requests, which the budget spreads over a minute or two. */
const CUSTODY_TIME_MS_MAX = 300_000;

/** A close only counts rows, and once a day: it reads five times as many as a run compares. */
const REQUESTS_MAX = 100;

/** Rows that changed this long before the last reading ended are read again: clocks overlap. */
const OVERLAP_MS = 900_000;

/** Lists of addresses that are read for block times; at midnight few receipts are unclear. */
const BLOCK_REQUESTS_MAX = 40;
const BLOCK_TIME_MS_MAX = 30_000;

/** Where the first reading begins when the whole history was too long: before the first fact. */
const FIRST_HISTORY_MS = 86_400_000;

type CloseReads = Pick<Reads, 'custodyEffects' | 'firstRecordedAt'>;

function amountsText(amounts: CountedEffect['amounts']): string {
  return amounts.map(({ asset, amount }) => `${asset} ${amount}`).join('\n');
}

/** The transactions whose effect is not what the closes before counted. */
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
 * The block's time of receipts whose records do not tell on which side of a cut-off they were mined:
 * each further confirmation changes a record. Asked of as many addresses as the budget has room for;
 * the others are dated by their records.
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
    const place = { vaultId: first.vaultId, addressId: first.addressId };
    const at = now();
    const read = await lists.read(place, {
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

/** Says of each effect that counts when it moved. */
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
 * Reads what changed at the custody API since the last close that read it, and counts each
 * transaction by what the API alone says of it.
 */
export async function readCustodyEffects(
  since: number | null,
  context: {
    custody: CustodyClient;
    reads: CloseReads;
    now: () => number;
    /** Between which days movements are told apart. */
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
