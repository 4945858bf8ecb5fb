import { sql, type Kysely } from 'kysely';
import {
  awaitsCustody,
  type Deposit,
  type DepositState,
  type HoldReason,
} from '../../../../domain/deposit/deposit.ts';
import type { DepositId } from '../../../../domain/ids.ts';
import type { Oldest } from '../../../answers.ts';
import type { DepositQuery } from '../../../queries.ts';
import type { Page, PageRequest } from '../../../page.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';
import { depositOf, TO_REVERSE } from '../../table/rows/deposit-row.ts';
import type { Tables } from '../../table/tables.ts';
import { atSnapshot, keptTotal, readPage } from '../list.ts';
import { atNetworkAddress } from './at-network-address.ts';

/** Repeats the condition of the index `deposits_waiting`: SQLite's planner compares the text. */
export const CHANGEABLE = sql<boolean>`state <> 'settled' AND state <> 'credited' AND state <> 'internal'`;

/** A past may hold a million deposits from before the policy's start, which wait for nothing. */
const TO_COMPARE = sql<boolean>`${CHANGEABLE} AND (reason IS NULL OR reason <> 'before_start')`;

/** Repeats the condition of the index `deposits_internal_unverified`. */
const INTERNAL_UNVERIFIED = sql<boolean>`state = 'internal' AND verified_at IS NULL`;

/** Deposits with an open or exempt difference that only the custody API's answer can end. */
const IN_DOUBT = sql<boolean>`deposit_id IN (
  SELECT deposit_id FROM breaks
  WHERE state <> 'resolved'
    AND type IN ('unknown_to_custody', 'amount_mismatch', 'amount_changed', 'status_mismatch')
  UNION SELECT deposit_id FROM exempt_differences
  WHERE type IN ('unknown_to_custody', 'amount_mismatch', 'amount_changed', 'status_mismatch'))`;

/** States whose deposits are not in the index `deposits_waiting`. */
export const DONE: readonly DepositState[] = ['settled', 'credited', 'internal'];

/** A query for deposits that may still change, through their own small index. */
export function changeableDepositRows(db: Kysely<Tables>) {
  return db.selectFrom('deposits').where(CHANGEABLE).selectAll();
}

/** Hashes that only webhooks claim as our own; repeats the condition of `own_hashes_claimed`. */
const CLAIMED = sql<boolean>`hash_id IN (SELECT hash_id FROM own_hashes WHERE certainty = 'claimed')`;

/** Some claiming transaction was never shown by the custody API. Evaluated last, for few rows. */
const CLAIMED_BY_UNASKED = sql<boolean>`EXISTS (
  SELECT 1 FROM own_hashes
  CROSS JOIN withdrawals ON withdrawals.transaction_id = own_hashes.transaction_id
  WHERE own_hashes.hash_id = deposits.hash_id AND own_hashes.certainty = 'claimed'
    AND withdrawals.custody = 'unasked')`;

/**
 * A query for disputed deposits. It starts from the claimed hashes in the order of the table, so a
 * hundred thousand invented transactions cost a run only few neighbouring pages. `verifiedBy`: Unix
 * milliseconds.
 */
export function disputedDepositRows(
  db: Kysely<Tables>,
  query: { readonly verifiedBy: number; readonly limit: number },
) {
  return db
    .selectFrom('deposits')
    .where(CLAIMED)
    .where('state', '=', 'internal')
    .where('change', '=', 0)
    .where('verified_at', '<=', query.verifiedBy)
    .where(CLAIMED_BY_UNASKED)
    .selectAll()
    .orderBy('verified_at')
    .orderBy('deposit_id')
    .limit(query.limit);
}

/** Disputed deposits (`Reads.disputedDeposits`), first verified first. */
export async function readDisputedDeposits(
  db: Kysely<Tables>,
  query: { readonly verifiedBy: number; readonly limit: number },
): Promise<readonly Deposit[]> {
  return (await disputedDepositRows(db, query).execute()).map(depositOf);
}

/** A query for the deposits of the newest facts. */
export function newestRows(db: Kysely<Tables>, limit: number) {
  return db.selectFrom('deposits').selectAll().orderBy('first_seq', 'desc').limit(limit);
}

/** Newest deposits that are verified or credited (`Reads.newestVerified`). */
export async function readNewestVerified(
  db: Kysely<Tables>,
  limit: number,
): Promise<readonly Deposit[]> {
  const rows = await newestRows(db, limit).execute();
  return rows.filter((row) => row.credit_id !== null || row.verified_at !== null).map(depositOf);
}

/**
 * Most hashes that are looked up for one address. With more, reading every deposit is hardly slower.
 * An exchange may receive all deposits of a network with memos at one address.
 */
const HASHES_MAX = 10_000;

/** The numbers of the hashes of an on-chain address; undefined where they are too many. */
function hashIdsAt(networkAddress: string, keys: KeyLookup): number[] | undefined {
  const all = { from: null, side: 'older', limit: HASHES_MAX + 1 } as const;
  const found = keys.atAddress(networkAddress, all);
  return found.length > HASHES_MAX ? undefined : found;
}

/** One page of deposits, newest first. */
export function readDeposits(
  db: Kysely<Tables>,
  query: DepositQuery,
  page: PageRequest & { readonly keys: KeyLookup },
): Promise<Page<Deposit>> {
  const { state, vaultId, blockchainHash, networkAddress } = query;
  const { keys } = page;
  const hashIds = () =>
    networkAddress === undefined || blockchainHash !== undefined
      ? keys.filterOf(blockchainHash)
      : hashIdsAt(networkAddress, keys);
  const listing = {
    table: 'deposits',
    equal: () => ({
      state,
      vault_id: vaultId,
      hash_id: hashIds(),
    }),
    newestFirstBy: 'first_seq',
    also: [
      state === undefined || DONE.includes(state) ? undefined : CHANGEABLE,
      networkAddress === undefined ? undefined : atNetworkAddress(networkAddress),
    ],
    kept:
      vaultId === undefined && blockchainHash === undefined && networkAddress === undefined
        ? keptTotal('deposit_counts', { state })
        : undefined,
  } as const;
  return readPage(db, listing, { ...page, itemOf: depositOf });
}

/** Repeats the condition of the index `deposits_held`. */
export const HELD = sql<boolean>`state = 'held'`;

/** A query for deposits held for a reason, first seen first, through their own index. */
export function heldRows(db: Kysely<Tables>, reason: HoldReason, limit: number) {
  return db
    .selectFrom('deposits')
    .where(HELD)
    .where('reason', '=', reason)
    .selectAll()
    .orderBy('first_seen_at')
    .limit(limit);
}

/** The oldest held deposits of each reason (`Reads.oldestHeld`). */
export function readOldestHeld(
  db: Kysely<Tables>,
  asked: { readonly reasons: readonly HoldReason[]; readonly limit: number },
): Promise<Oldest<Deposit>> {
  const { reasons, limit } = asked;
  return atSnapshot(db, async (at) => {
    const items: Deposit[] = [];
    for (const reason of reasons) {
      items.push(...(await heldRows(at, reason, limit).execute()).map(depositOf));
    }
    const counted = await at
      .selectFrom('deposits')
      .where(HELD)
      .where('reason', 'in', reasons)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirst();
    return {
      items: items.sort((left, right) => left.firstSeenAt - right.firstSeenAt),
      total: counted?.count ?? 0,
    };
  });
}

/** Repeats the condition of the index `deposits_unacknowledged`. */
export const UNACKNOWLEDGED = sql<boolean>`state = 'credited'`;

/** A query for deposits with an unacknowledged credit, the oldest credit first. */
export function unacknowledgedRows(db: Kysely<Tables>, limit: number) {
  return db
    .selectFrom('deposits')
    .where(UNACKNOWLEDGED)
    .selectAll()
    .orderBy('credited_at')
    .limit(limit);
}

/** Deposits with an unacknowledged credit (`Reads.unacknowledged`). */
export function readUnacknowledged(db: Kysely<Tables>, limit: number): Promise<Oldest<Deposit>> {
  return atSnapshot(db, async (at) => {
    const rows = await unacknowledgedRows(at, limit).execute();
    const counted = await keptTotal('deposit_counts', { state: 'credited' }).execute(at);
    return { items: rows.map(depositOf), total: counted.rows[0]?.total ?? 0 };
  });
}

/** The row of one deposit by its id. */
export function depositRow(at: Kysely<Tables>, depositId: string, keys: KeyLookup) {
  return at
    .selectFrom('deposits')
    .where('hash_id', 'in', keys.candidates('deposit', depositId))
    .where('deposit_id', '=', depositId)
    .selectAll()
    .executeTakeFirst();
}

/** One deposit by its id. */
export function readDeposit(
  db: Kysely<Tables>,
  depositId: string,
  keys: KeyLookup,
): Promise<Deposit | undefined> {
  return atSnapshot(db, async (at) => {
    const row = await depositRow(at, depositId, keys);
    return row && depositOf(row);
  });
}

/**
 * Deposits that a change of policy can affect, in the order of their hashes, after one of them. The
 * query repeats the condition of their index.
 */
export function readDepositsToReevaluate(
  db: Kysely<Tables>,
  query: { readonly after: DepositId | null; readonly limit: number },
  keys: KeyLookup,
): Promise<readonly Deposit[]> {
  const { after, limit } = query;
  return atSnapshot(db, async (at) => {
    const from = after === null ? undefined : await depositRow(at, after, keys);
    const rows = await at
      .selectFrom('deposits')
      .where(sql<boolean>`credit_id IS NULL AND evidence <> 'none' AND change = 0`)
      .where(sql<boolean>`(hash_id, deposit_id) > (${from?.hash_id ?? 0}, ${after ?? ''})`)
      .selectAll()
      .orderBy('hash_id')
      .orderBy('deposit_id')
      .limit(limit)
      .execute();
    return rows.map(depositOf);
  });
}

/** Number of deposits that wait for verification, from the index alone. */
export async function countWaitingDeposits(db: Kysely<Tables>): Promise<number> {
  const counted = await db
    .selectFrom('deposits')
    .where(TO_COMPARE)
    .where('evidence', '=', 'confirmed')
    .where('credit_id', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirst();
  return counted?.count ?? 0;
}

/** Deposits to verify, oldest first, so that a run with too many starves none of them. */
export function readWaitingDeposits(db: Kysely<Tables>): Promise<readonly Deposit[]> {
  return atSnapshot(db, async (at) => {
    const found = new Map<string, Deposit>();
    const doubted = await at.selectFrom('deposits').where(IN_DOUBT).select('deposit_id').execute();
    const inDoubt = new Set(doubted.map((row) => row.deposit_id));
    for (const condition of [
      TO_COMPARE,
      sql.raw<boolean>(TO_REVERSE),
      INTERNAL_UNVERIFIED,
      IN_DOUBT,
    ]) {
      const rows = at.selectFrom('deposits').where(condition).selectAll().stream();
      for await (const row of rows) {
        const deposit = depositOf(row);
        if (awaitsCustody(deposit) || inDoubt.has(row.deposit_id)) {
          found.set(row.deposit_id, deposit);
        }
      }
    }
    return [...found.values()].sort((left, right) => left.firstSeenAt - right.firstSeenAt);
  });
}
