import { sql, type Kysely } from 'kysely';
import type { IntakeStatus } from '../../../domain/fact/fact.ts';
import type { NotificationQuery } from '../../queries.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { StoredNotification } from '../../answers.ts';
import type { KeyLookup } from '../keys/key-lookup.ts';
import type { HashTableRow, NotificationTableRow } from '../table/journal-tables.ts';
import type { Tables } from '../table/tables.ts';
import { SPAN_FACTS } from '../writing/sqlite-writes.ts';
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

/** Filters and orders a vault's notifications by its spans, newest first. */
function spansOf(vaultId: string) {
  const length = sql.lit(SPAN_FACTS);
  return {
    within: sql`(select span from vault_spans where vault_id = ${vaultId})`,
    also: sql<boolean>`seq between span * ${length} and span * ${length} + ${length} - 1`,
    orderBy: sql`span desc, seq desc`,
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
    ? { also: NOT_ACCEPTED }
    : isOfMany && vaultId !== undefined
      ? spansOf(vaultId)
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
