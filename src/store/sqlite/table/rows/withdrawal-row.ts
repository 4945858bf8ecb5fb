import {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../domain/ids.ts';
import type { OwnHash } from '../../../../domain/withdrawal/own-hash.ts';
import type { Withdrawal, WithdrawalStatus } from '../../../../domain/withdrawal/withdrawal.ts';
import { packChanges, unpackChanges } from '../../../codec/change.ts';
import { orNull, plain, text, word } from '../column-format.ts';
import { column, mappingOf, type RowIn } from '../mapping.ts';

/** The columns of `withdrawals`. `hash_id`: the number of its hash; null without a hash. */
export const WITHDRAWALS = mappingOf<Withdrawal>()({
  table: 'withdrawals',
  key: ['transaction_id'],
  extras: { hash_id: 'INTEGER' },
  fields: {
    transactionId: column('transaction_id', text(TransactionId)),
    vaultId: column('vault_id', text(VaultId)),
    orderId: column('order_id', plain('TEXT')),
    network: column('network', orNull(text(NetworkKey))),
    blockchainHash: column('blockchain_hash', orNull(text(BlockchainHash))),
    accountId: column('account_id', orNull(text(AccountId))),
    addressId: column('address_id', orNull(text(AddressId))),
    destinationAddress: column('destination_address', plain('TEXT')),
    memo: column('memo', orNull(text(Memo))),
    status: column('status', orNull(word<WithdrawalStatus>())),
    reasonCode: column('reason_code', plain('TEXT')),
    entryId: column('entry_id', plain('INTEGER')),
    posted: column('posted', {
      type: 'TEXT NOT NULL',
      write: (posted: Withdrawal['posted']) => JSON.stringify(packChanges(posted)),
      read: (kept): Withdrawal['posted'] => unpackChanges(JSON.parse(kept)),
    }),
    custody: column('custody', word<Withdrawal['custody']>()),
    firstSeenAt: column('first_seen_at', plain('INTEGER NOT NULL')),
    updatedAt: column('updated_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `withdrawals`. */
export type WithdrawalRow = RowIn<typeof WITHDRAWALS>;

/** Reads a withdrawal from its row. */
export const withdrawalOf = WITHDRAWALS.read;

/** The columns of `own_hashes`. */
export const OWN_HASHES = mappingOf<OwnHash>()({
  table: 'own_hashes',
  key: ['hash_id', 'transaction_id'],
  extras: { hash_id: 'INTEGER NOT NULL' },
  fields: {
    network: column('network', text(NetworkKey)),
    blockchainHash: column('blockchain_hash', text(BlockchainHash)),
    transactionId: column('transaction_id', text(TransactionId)),
    certainty: column('certainty', word<OwnHash['certainty']>()),
  },
});

/** A row of `own_hashes`. */
export type OwnHashRow = RowIn<typeof OWN_HASHES>;

/** Reads an own hash from its row. */
export const ownHashOf = OWN_HASHES.read;
