import { sql, type Kysely } from 'kysely';
import type { RotationCursor } from '../../../../domain/fact/custody-record.ts';
import { AddressId, VaultId } from '../../../../domain/ids.ts';
import type { ReconciliationRow } from '../../../records.ts';
import type { VaultAddress } from '../../../answers.ts';
import type { Tables } from '../../table/tables.ts';
import { atSnapshot } from '../list.ts';

/** A vault's addresses that the ledger knows, ordered by id, after `after`. */
export async function readAddressesOf(
  db: Kysely<Tables>,
  query: { vaultId: VaultId; after: string; limit: number },
): Promise<readonly AddressId[]> {
  const rows = await db
    .selectFrom('ledger_accounts')
    .where('vault_id', '=', query.vaultId)
    .where('address_id', '>', query.after)
    .groupBy('address_id')
    .orderBy('address_id')
    .select('address_id')
    .limit(query.limit)
    .execute();
  return rows.map((row) => AddressId(row.address_id));
}

/** Addresses of the chain view's newest entries, newest first, and the ledger's last entry. */
export function readAddressesChanged(
  db: Kysely<Tables>,
  query: { afterEntry: number | null; limit: number },
): Promise<{ addresses: readonly VaultAddress[]; lastEntry: number }> {
  return atSnapshot(db, async (at) => {
    const head = await at
      .selectFrom('entries')
      .select(({ fn }) => fn.max('entry_id').as('id'))
      .executeTakeFirst();
    const lastEntry = head?.id ?? 0;
    if (query.afterEntry === null || query.afterEntry >= lastEntry)
      return { addresses: [], lastEntry };
    const rows = await at
      .selectFrom('entries')
      .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
      .innerJoin('ledger_accounts', 'ledger_accounts.ledger_account', 'postings.ledger_account')
      .where('entries.entry_id', '>', query.afterEntry)
      .where('entries.view', '=', 'chain')
      .where('ledger_accounts.kind', '=', 'position')
      .where('ledger_accounts.address_id', '<>', '')
      .select(['ledger_accounts.vault_id', 'ledger_accounts.address_id'])
      .orderBy('entries.entry_id', 'desc')
      .limit(query.limit)
      .execute();
    const addresses = new Map<string, VaultAddress>();
    for (const { vault_id: vaultId, address_id: addressId } of rows) {
      const address = { vaultId: VaultId(vaultId), addressId: AddressId(addressId) };
      addresses.set(addressId, address);
    }
    return { addresses: [...addresses.values()], lastEntry };
  });
}

/** How far the round over all addresses has come; null before its first step. */
export async function readRotationCursor(db: Kysely<Tables>): Promise<RotationCursor | null> {
  const row = await db
    .selectFrom('reconciliations')
    .where(sql<boolean>`addresses IS NOT NULL`)
    .select('addresses')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.addresses === null) return null;
  const checks = JSON.parse(row.addresses) as NonNullable<ReconciliationRow['addresses']>;
  return checks.cursor;
}
