import type { CustodyClient } from '../custody/client.ts';
import { effectOf } from '../domain/close-effect.ts';
import type { CountedEffect, CustodyReading } from '../domain/close-record.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { BlockchainHash } from '../domain/ids.ts';
import type { Reads } from '../store/reads.ts';
import { readCustodyList, type CustodyList } from './custody-list.ts';
import { reachedBy, rereadFromOf, watermarkOf } from './watermark.ts';

/** A day's list is up to a hundred requests, which the budget spreads over a minute or two. */
const CUSTODY_TIME_MS_MAX = 300_000;

/** A close only counts rows, and once a day: it reads five times as many as a run compares. */
const REQUESTS_MAX = 100;

/** Rows that changed this long before the last reading ended are read again: clocks overlap. */
const OVERLAP_MS = 900_000;

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

/**
 * Reads what changed at the custody API since the last close that read it, and counts each
 * transaction by what the API alone says of it.
 */
export async function readCustodyEffects(
  since: number | null,
  context: { custody: CustodyClient; reads: CloseReads; now: () => number },
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
    counted: await countedAnew(effects, context.reads),
    pending: pending.flatMap(({ blockchainHash }): BlockchainHash[] =>
      blockchainHash === null ? [] : [blockchainHash],
    ),
  };
}
