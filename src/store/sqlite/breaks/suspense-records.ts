import type { Database } from 'better-sqlite3';
import type { BalanceChange, ChangeKind } from '../../../domain/fact/notification.ts';
import { AccountId, AddressId, Memo, type AssetId } from '../../../domain/ids.ts';
import { storedAmount } from '../../../domain/money/amount.ts';
import type { MovementKey } from '../../../domain/money/movement.ts';
import type { SuspenseEntry } from '../../../domain/money/suspense.ts';
import { keyOrNull } from '../table/rows/sighting-row.ts';
import type { EntryRow, LedgerAccountRow, PostingRow } from '../table/ledger-tables.ts';

type SuspenseLineRow = Pick<PostingRow, 'entry_id' | 'change_kind' | 'amount'> &
  Pick<EntryRow, 'reverses'> &
  Pick<LedgerAccountRow, 'account_id' | 'address_id' | 'memo'>;

/** Reads what people booked to suspense. */
export class SuspenseRecords {
  readonly #lines;

  constructor(db: Database) {
    this.#lines = db.prepare<[number, string, string], SuspenseLineRow>(
      `SELECT entry.entry_id, reverses, change_kind, amount, account_id, address_id, memo
       FROM entries AS entry
         JOIN postings USING (entry_id) JOIN ledger_accounts AS position USING (ledger_account)
       WHERE entry.hash_id = ? AND entry.vault_id = ? AND position.asset = ?
         AND position.kind = 'position' AND cause = 'suspense'
       ORDER BY entry.entry_id, line`,
    );
  }

  /** The entries against suspense of one movement of this hash, the oldest first. */
  entriesOf(hashId: number, { vaultId, asset }: MovementKey): readonly SuspenseEntry[] {
    const entries = new Map<number, SuspenseEntry>();
    for (const row of this.#lines.all(hashId, vaultId, asset)) {
      const { entry_id: entryId, reverses } = row;
      const changes = [...(entries.get(entryId)?.changes ?? []), changeOf(row, asset)];
      entries.set(entryId, { entryId, reverses, changes });
    }
    return [...entries.values()];
  }
}

function changeOf(row: SuspenseLineRow, asset: AssetId): BalanceChange {
  return {
    asset,
    amount: storedAmount(row.amount),
    kind: row.change_kind as ChangeKind,
    accountId: keyOrNull(AccountId, row.account_id),
    addressId: keyOrNull(AddressId, row.address_id),
    memo: keyOrNull(Memo, row.memo),
    decimals: null,
  };
}
