import type { AccountKind, LedgerAccount, View } from '../../../../domain/money/entry.ts';
import { AccountId, AddressId, AssetId, Memo, VaultId } from '../../../../domain/ids.ts';
import type { LedgerAccountRow } from '../ledger-tables.ts';
import { keyOrNull } from './sighting-row.ts';

/** Reads a ledger account from its row. */
export function ledgerAccountOf(row: LedgerAccountRow): LedgerAccount {
  return {
    view: row.view as View,
    kind: row.kind as AccountKind,
    vaultId: VaultId(row.vault_id),
    accountId: keyOrNull(AccountId, row.account_id),
    addressId: keyOrNull(AddressId, row.address_id),
    memo: keyOrNull(Memo, row.memo),
    asset: AssetId(row.asset),
  };
}
