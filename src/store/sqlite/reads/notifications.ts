import { sql, type Kysely } from 'kysely';
import type { IntakeStatus } from '../../../domain/fact/fact.ts';
import type { NotificationQuery } from '../../queries.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { StoredNotification } from '../../answers.ts';
import type { KeyLookup } from '../keys/key-lookup.ts';
import type { HashTableRow, NotificationTableRow } from '../table/journal-tables.ts';
import type { Tables } from '../table/tables.ts';
import { keptTotal, readPage } from './list.ts';

/** Repeats the condition of the index `notifications_by_status` for SQLite's planner. */
const NOT_ACCEPTED = sql<boolean>`status <> 'accepted'`;

/** A notification as a list shows it. */
export function notificationOf(
  row: NotificationTableRow,
  hash: HashTableRow | undefined,
): StoredNotification {
  return {
    seq: row.seq,
    id: row.id,
    status: row.status as IntakeStatus,
    stream: row.stream,
    type: row.type,
    vaultId: row.vault_id,
    network: hash?.network ?? null,
    blockchainHash: hash?.blockchain_hash ?? null,
    transactionId: row.transaction_id,
    confirmations: row.confirmations,
    receivedAt: row.received_at,
  };
}

/**
 * Finds a vault's notifications from the newest back: each names the one before it. It follows as
 * many as the page needs, and those of other statuses between them.
 */
export function vaultChain(
  { vaultId, status }: { readonly vaultId: string; readonly status?: string | undefined },
  needed: number,
) {
  const others = sql`(select coalesce(sum(count), 0) from notification_counts
    where vault_id = ${vaultId} and status <> ${status ?? null})`;
  return {
    within: sql`(with recursive chain (vault_seq) as (
        select max(newest_seq) from notification_counts where vault_id = ${vaultId}
        union all
        select (select previous_of_vault from notifications where seq = vault_seq)
        from chain where vault_seq is not null limit ${needed} + ${others}
      ) select vault_seq from chain)`,
    also: [sql<boolean>`seq = vault_seq`] as const,
  };
}

/** Reads the hashes of notifications. It needs no snapshot: rows of hashes never change. */
export async function withHashes(
  db: Kysely<Tables>,
  rows: readonly NotificationTableRow[],
): Promise<StoredNotification[]> {
  const ids = rows.flatMap((row) => row.hash_id ?? []);
  const hashes = await db.selectFrom('hashes').where('hash_id', 'in', ids).selectAll().execute();
  const byId = new Map(hashes.map((hash) => [hash.hash_id, hash]));
  return rows.map((row) => notificationOf(row, byId.get(row.hash_id ?? -1)));
}

/** One page of notifications, newest first. */
export async function readNotifications(
  db: Kysely<Tables>,
  query: NotificationQuery,
  page: PageRequest & { readonly keys: KeyLookup },
): Promise<Page<StoredNotification>> {
  const { id, vaultId, blockchainHash, status } = query;
  const { keys, ...request } = page;
  const equal = () => ({
    seq: id === undefined ? undefined : keys.candidates('notification', id),
    id,
    vault_id: vaultId,
    hash_id: keys.filterOf(blockchainHash),
    status,
  });
  const isOfMany = id === undefined && blockchainHash === undefined;
  const kept = isOfMany
    ? keptTotal('notification_counts', { vault_id: vaultId, status })
    : undefined;
  const isNotAccepted = status !== undefined && status !== 'accepted';
  const narrowed = isNotAccepted
    ? { also: [NOT_ACCEPTED] }
    : isOfMany && vaultId !== undefined
      ? vaultChain({ vaultId, status }, (page.page + 1) * page.pageSize)
      : {};
  const listing = {
    table: 'notifications',
    equal,
    newestFirstBy: 'seq',
    kept,
    ...narrowed,
  } as const;
  const rows = await readPage(db, listing, { ...request, itemOf: (row) => row });
  return { ...rows, items: await withHashes(db, rows.items) };
}
