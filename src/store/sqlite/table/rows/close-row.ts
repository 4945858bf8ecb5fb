import type { CustodyDatedBy, EffectKind, SignatureRole } from '../../../../domain/close/record.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../domain/ids.ts';
import type { CustodyEffectRow, SignatureRow } from '../../../records.ts';
import { AMOUNT, plain, text, word, wordOrNull } from '../column-format.ts';
import { column, mappingOf, type RowIn } from '../mapping.ts';

/** The columns of `custody_effects`. */
export const CUSTODY_EFFECTS = mappingOf<CustodyEffectRow>()({
  table: 'custody_effects',
  key: ['transaction_id', 'asset', 'vault_id'],
  extras: {},
  fields: {
    transactionId: column('transaction_id', text(TransactionId)),
    vaultId: column('vault_id', text(VaultId)),
    network: column('network', text(NetworkKey)),
    blockchainHash: column('blockchain_hash', text(BlockchainHash)),
    asset: column('asset', text(AssetId)),
    amount: column('amount', AMOUNT),
    kind: column('kind', wordOrNull<EffectKind>()),
    at: column('at', plain('INTEGER')),
    datedBy: column('dated_by', wordOrNull<CustodyDatedBy>()),
  },
});

/** A row of `custody_effects`. */
export type CustodyEffectTableRow = RowIn<typeof CUSTODY_EFFECTS>;

/** Reads what a custody transaction counts for from its row. */
export const effectOf = CUSTODY_EFFECTS.read;

/** The columns of `close_signatures`. */
export const CLOSE_SIGNATURES = mappingOf<SignatureRow>()({
  table: 'close_signatures',
  key: ['day', 'role'],
  extras: {},
  fields: {
    day: column('day', plain('TEXT NOT NULL')),
    seq: column('seq', plain('INTEGER NOT NULL')),
    role: column('role', word<SignatureRole>()),
    person: column('person', plain('TEXT NOT NULL')),
    reason: column('reason', plain('TEXT NOT NULL')),
    reportHash: column('report_hash', plain('TEXT NOT NULL')),
    signedAt: column('signed_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `close_signatures`. */
export type CloseSignatureRow = RowIn<typeof CLOSE_SIGNATURES>;

/** Reads a signature from its row. */
export const signatureOf = CLOSE_SIGNATURES.read;
