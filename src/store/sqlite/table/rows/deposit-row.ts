import { storedAmount } from '../../../../domain/money/amount.ts';
import type { Deposit, DepositState, HoldReason } from '../../../../domain/deposit/deposit.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  CreditId,
  DepositId,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../domain/ids.ts';
import { AMOUNT, FLAG, json, orNull, plain, text, word } from '../column-format.ts';
import { column, mappingOf, type RowIn } from '../mapping.ts';

const HOUR_MS = 3_600_000;

/** Repeats the condition of the index `deposits_to_reverse`: SQLite's planner compares the text. */
export const TO_REVERSE = `credit_id IS NOT NULL AND evidence = 'none'`;

/** Whole hours since 1970. `at`: Unix milliseconds. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}

interface CreditColumns {
  readonly credit_id: string | null;
  readonly credit_amount: string | null;
  readonly credited_at: number | null;
  readonly credit_reference: string | null;
}

/** The columns of `deposits`. A new stored member of a deposit needs a line here and in schema.sql. */
export const DEPOSITS = mappingOf<Deposit>()({
  table: 'deposits',
  key: ['hash_id', 'deposit_id'],
  extras: { hash_id: 'INTEGER NOT NULL', first_seq: 'INTEGER NOT NULL' },
  fields: {
    vaultId: column('vault_id', text(VaultId)),
    network: column('network', text(NetworkKey)),
    blockchainHash: column('blockchain_hash', text(BlockchainHash)),
    accountId: column('account_id', orNull(text(AccountId))),
    addressId: column('address_id', orNull(text(AddressId))),
    memo: column('memo', orNull(text(Memo))),
    asset: column('asset', text(AssetId)),
    depositId: column('deposit_id', text(DepositId)),
    networkAddress: column('network_address', plain('TEXT')),
    reportedAddress: column('reported_address', plain('TEXT')),
    transactionId: column('transaction_id', orNull(text(TransactionId))),
    amount: column('amount', AMOUNT),
    epoch: column('epoch', plain('INTEGER NOT NULL')),
    evidence: column('evidence', word<Deposit['evidence']>()),
    confirmations: column('confirmations', plain('INTEGER NOT NULL')),
    change: column('change', FLAG),
    ownTransfer: column('own_transfer', FLAG),
    unattributed: column('unattributed', FLAG),
    attributedTo: column('attributed_to', plain('TEXT')),
    attributedBy: column('attributed_by', plain('TEXT')),
    decimalsChanged: column('decimals_changed', FLAG),
    operatorHold: column('operator_hold', plain('TEXT')),
    approvals: column('approvals', json<Deposit['approvals']>()),
    verifiedAt: column('verified_at', plain('INTEGER')),
    matchedAt: column('matched_at', plain('INTEGER')),
    custodyConfirmations: column('custody_confirmations', plain('INTEGER NOT NULL')),
    custodyCreatedAt: column('custody_created_at', plain('INTEGER')),
    credit: {
      columns: [
        { name: 'credit_id', type: 'TEXT', write: (credit) => credit?.creditId ?? null },
        {
          name: 'credit_amount',
          type: 'TEXT',
          write: (credit) => credit?.amount.toString() ?? null,
        },
        { name: 'credited_at', type: 'INTEGER', write: (credit) => credit?.creditedAt ?? null },
        { name: 'credit_reference', type: 'TEXT', write: (credit) => credit?.reference ?? null },
      ],
      read: (row: CreditColumns) =>
        row.credit_id === null || row.credit_amount === null || row.credited_at === null
          ? null
          : {
              creditId: CreditId(row.credit_id),
              amount: storedAmount(row.credit_amount),
              creditedAt: row.credited_at,
              reference: row.credit_reference,
            },
    },
    creditsIssued: column('credits_issued', plain('INTEGER NOT NULL')),
    reversed: column('reversed_credit_id', orNull(text(CreditId))),
    state: column('state', word<DepositState>()),
    reason: column('reason', orNull(word<HoldReason>())),
    requiredConfirmations: column('required_confirmations', plain('INTEGER NOT NULL')),
    firstSeenAt: column('first_seen_at', plain('INTEGER NOT NULL')),
    updatedAt: {
      columns: [
        { name: 'updated_at', type: 'INTEGER NOT NULL', write: (at) => at },
        { name: 'updated_hour', type: 'INTEGER NOT NULL', write: hourOf },
      ],
      read: (row: Record<'updated_at' | 'updated_hour', number>) => row.updated_at,
    },
  },
});

/** A row of `deposits`. */
export type DepositRow = RowIn<typeof DEPOSITS>;

/** Reads a deposit from its row. */
export const depositOf = DEPOSITS.read;
