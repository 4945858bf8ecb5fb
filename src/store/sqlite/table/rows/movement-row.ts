import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../../../domain/ids.ts';
import type { Movement } from '../../../../domain/money/movement.ts';
import { AMOUNT, FLAG, orNull, plain, text, word } from '../column-format.ts';
import { column, mappingOf, type RowIn } from '../mapping.ts';

/** The columns of `movements`. `agreement`: how its sides agree (`agreementOf`). */
export const MOVEMENTS = mappingOf<Movement>()({
  table: 'movements',
  key: ['hash_id', 'vault_id', 'asset'],
  extras: { hash_id: 'INTEGER NOT NULL', agreement: 'TEXT NOT NULL' },
  fields: {
    vaultId: column('vault_id', text(VaultId)),
    network: column('network', text(NetworkKey)),
    blockchainHash: column('blockchain_hash', text(BlockchainHash)),
    asset: column('asset', text(AssetId)),
    books: column('books', AMOUNT),
    chain: column('chain', AMOUNT),
    custody: column('custody', orNull(AMOUNT)),
    onBooks: column('on_books', FLAG),
    onChain: column('on_chain', FLAG),
    changedAt: column('changed_at', plain('INTEGER NOT NULL')),
    compared: column('compared', word<Movement['compared']>()),
  },
});

/** A row of `movements`. */
export type MovementRow = RowIn<typeof MOVEMENTS>;

/** Reads a movement from its row. */
export const movementOf = MOVEMENTS.read;
