import { sql, type Kysely } from 'kysely';
import type { IntakeStatus } from '../../../domain/fact.ts';
import type { NotificationQuery, Page, PageRequest, StoredNotification } from '../../reads.ts';
import type { KeyLookup } from '../key-lookup.ts';
import type { HashTableRow, NotificationTableRow, Tables } from '../tables.ts';
import { keptTotal, readPage } from './list.ts';

const NOT_ACCEPTED = sql<boolean>`status <> 'accepted'`;

function notificationOf(
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

/** The names of hashes; what a hash is called never changes. */
async function hashesOf(
  db: Kysely<Tables>,
  rows: readonly NotificationTableRow[],
): Promise<ReadonlyMap<number, HashTableRow>> {
  const ids = rows.flatMap((row) => row.hash_id ?? []);
  const hashes = await db.selectFrom('hashes').where('hash_id', 'in', ids).selectAll().execute();
  return new Map(hashes.map((hash) => [hash.hash_id, hash]));
}

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
  const kept =
    id === undefined && blockchainHash === undefined
      ? keptTotal('notification_counts', { vault_id: vaultId, status })
      : undefined;
  // The condition of the index `notifications_by_status`, which a status alone does not imply.
  const also = status === undefined || status === 'accepted' ? undefined : NOT_ACCEPTED;
  const listing = { table: 'notifications', equal, newestFirstBy: 'seq', kept, also } as const;
  const rows = await readPage(db, listing, { ...request, itemOf: (row) => row });
  const hashes = await hashesOf(db, rows.items);
  const items = rows.items.map((row) =>
    notificationOf(row, row.hash_id === null ? undefined : hashes.get(row.hash_id)),
  );
  return { ...rows, items };
}
