import { sql, type Kysely, type RawBuilder } from 'kysely';
import { Memo, NetworkKey, TransactionId } from '../../../../domain/ids.ts';
import type { Withdrawal } from '../../../../domain/withdrawal/withdrawal.ts';
import type { UnsentTransfer } from '../../../reconciler-view.ts';
import { pageWithin, type Page, type PageRequest } from '../../../page.ts';
import type { WithdrawalQuery } from '../../../queries.ts';
import { IDLE_WITHDRAWAL } from '../../breaks/age-records.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';
import { withdrawalOf } from '../../table/rows/withdrawal-row.ts';
import type { Tables } from '../../table/tables.ts';
import { all, atSnapshot, equalities, isFiltered, readPage } from '../list.ts';
import { readMoved } from './withdrawal-search.ts';

/** Repeats the condition of the index `withdrawals_unconfirmed`: SQLite's planner compares text. */
const UNCONFIRMED = sql<boolean>`custody <> 'known'`;

/** An unknown withdrawal counts only until its difference is resolved. */
const OPEN = sql<boolean>`(custody <> 'unknown' OR transaction_id IN (
  SELECT transaction_id FROM breaks
  WHERE state <> 'resolved' AND type = 'unknown_to_custody'
  UNION SELECT transaction_id FROM exempt_differences WHERE type = 'unknown_to_custody'))`;

/**
 * Withdrawals that the custody API has not confirmed: doubted, then unasked, then unknown ones, so
 * that the unknown ones starve no other. Oldest first within each group.
 */
export async function readUnconfirmedWithdrawals(
  db: Kysely<Tables>,
  limit: number,
): Promise<readonly Withdrawal[]> {
  const rows = await db
    .selectFrom('withdrawals')
    .where(UNCONFIRMED)
    .where(OPEN)
    .selectAll()
    .orderBy('custody')
    .orderBy('first_seen_at')
    .limit(limit)
    .execute();
  return rows.map(withdrawalOf);
}

/** The query of `readUnsentTransfers`. The API alone makes a withdrawal known: none is forged. */
export function unsentTransferRows(db: Kysely<Tables>) {
  return db
    .selectFrom('withdrawals')
    .where(sql<boolean>`${sql.raw(IDLE_WITHDRAWAL)}`)
    .where('hash_id', 'is', null)
    .where('custody', 'in', ['known', 'doubted'])
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM own_hashes
        WHERE own_hashes.transaction_id = withdrawals.transaction_id)`,
    )
    .select(['transaction_id', 'network', 'destination_address', 'memo']);
}

/** Own transactions that had no hash when the custody API last showed them. */
export async function readUnsentTransfers(db: Kysely<Tables>): Promise<UnsentTransfer[]> {
  const rows = await unsentTransferRows(db).execute();
  return rows.flatMap((row) =>
    row.network === null
      ? []
      : {
          transactionId: TransactionId(row.transaction_id),
          network: NetworkKey(row.network),
          destinationAddress: row.destination_address,
          memo: row.memo === null ? null : Memo(row.memo),
        },
  );
}

/** Values of columns that a query asks for; undefined does not filter. */
function columnsOf(query: WithdrawalQuery) {
  return {
    transaction_id: query.transactionId,
    status: query.status,
    custody: query.custody,
    vault_id: query.vaultId,
    order_id: query.orderId,
    network: query.network,
    destination_address: query.destinationAddress,
    memo: query.memo,
  };
}

/** The further conditions of a query: what a partial index repeats, and the time. */
function conditionsOf(query: WithdrawalQuery): (RawBuilder<boolean> | undefined)[] {
  const { custody, firstSeenFrom, firstSeenBefore } = query;
  return [
    custody === undefined || custody === 'known' ? undefined : UNCONFIRMED,
    firstSeenFrom === undefined ? undefined : sql<boolean>`first_seen_at >= ${firstSeenFrom}`,
    firstSeenBefore === undefined ? undefined : sql<boolean>`first_seen_at < ${firstSeenBefore}`,
  ];
}

/** A page of withdrawals by what they moved, which is read among the newest ones alone. */
function readByMoved(
  db: Kysely<Tables>,
  query: WithdrawalQuery,
  page: PageRequest & { readonly keys: KeyLookup },
): Promise<Page<Withdrawal>> {
  return atSnapshot(db, async (at) => {
    const hashIds = page.keys.filterOf(query.blockchainHash);
    const equal = { ...columnsOf(query), hash_id: hashIds };
    const condition = all([...conditionsOf(query), ...equalities(equal)]);
    return pageWithin(await readMoved(at, condition, query), page);
  });
}

/** The number of all withdrawals: none is ever deleted, so their row numbers have no gaps. */
const TOTAL = sql<{ total: number | null }>`select max(rowid) as total from withdrawals`;

/** One page of withdrawals, newest first. */
export function readWithdrawals(
  db: Kysely<Tables>,
  query: WithdrawalQuery,
  page: PageRequest & { readonly keys: KeyLookup },
): Promise<Page<Withdrawal>> {
  const { asset, amounts, blockchainHash } = query;
  if (asset !== undefined || amounts !== undefined) return readByMoved(db, query, page);
  const listing = {
    table: 'withdrawals',
    equal: () => ({ ...columnsOf(query), hash_id: page.keys.filterOf(blockchainHash) }),
    newestFirstBy: 'rowid',
    also: conditionsOf(query),
    kept: isFiltered(query) ? undefined : TOTAL,
  } as const;
  return readPage(db, listing, { ...page, itemOf: withdrawalOf });
}
