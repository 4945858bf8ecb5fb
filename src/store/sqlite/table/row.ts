import { storedAmount } from '../../../domain/money/amount.ts';
import type { Deposit, DepositState, HoldReason } from '../../../domain/deposit/deposit.ts';
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
} from '../../../domain/ids.ts';
import type { Movement } from '../../../domain/money/movement.ts';
import type { OwnHash } from '../../../domain/withdrawal/own-hash.ts';
import type { Sighting } from '../../../domain/hash/sighting.ts';
import type { Withdrawal, WithdrawalStatus } from '../../../domain/withdrawal/withdrawal.ts';
import { packChanges, unpackChanges } from '../../codec/change.ts';
import { packPosted, packSeen, unpackPosted, unpackSeen } from '../../codec/sighting.ts';
import type { QuarantineRow } from '../../records.ts';
import type { DepositRow, OwnHashRow, SightingRow, WithdrawalRow } from './tables.ts';
import type { MovementRow } from './ledger-tables.ts';
import type { QuarantineTableRow } from './journal-tables.ts';

/** A nullable column as a branded id or null. */
export function or<Id>(brand: (value: string) => Id, value: string | null): Id | null {
  return value === null ? null : brand(value);
}

/** A key column as a branded id; key columns hold '' for the domain's null. */
function orEmpty<Id>(brand: (value: string) => Id, value: string): Id | null {
  return value === '' ? null : brand(value);
}

/** The columns that name a row's hash. */
interface HashName {
  readonly network: string;
  readonly blockchain_hash: string;
}

/** Reads a sighting from its row. */
export function sightingOf(row: SightingRow & HashName): Sighting {
  const accountId = orEmpty(AccountId, row.account_id);
  const addressId = orEmpty(AddressId, row.address_id);
  const memo = orEmpty(Memo, row.memo);
  return {
    network: NetworkKey(row.network),
    blockchainHash: BlockchainHash(row.blockchain_hash),
    vaultId: VaultId(row.vault_id),
    stream: row.stream as Sighting['stream'],
    accountId,
    addressId,
    memo,
    epoch: row.epoch,
    seen: unpackSeen(JSON.parse(row.seen)),
    entryId: row.entry_id,
    posted: unpackPosted(JSON.parse(row.posted), { accountId, addressId, memo }),
  };
}

/** The row of a sighting; key columns hold '' for null. */
export function sightingRow(sighting: Sighting, hashId: number): SightingRow {
  return {
    hash_id: hashId,
    vault_id: sighting.vaultId,
    stream: sighting.stream,
    account_id: sighting.accountId ?? '',
    address_id: sighting.addressId ?? '',
    memo: sighting.memo ?? '',
    epoch: sighting.epoch,
    seen: JSON.stringify(packSeen(sighting.seen)),
    entry_id: sighting.entryId,
    posted: JSON.stringify(packPosted(sighting.posted, sighting)),
  };
}

/** Reads a deposit from its row. */
export function depositOf(row: DepositRow): Deposit {
  return {
    vaultId: VaultId(row.vault_id),
    network: NetworkKey(row.network),
    blockchainHash: BlockchainHash(row.blockchain_hash),
    accountId: or(AccountId, row.account_id),
    addressId: or(AddressId, row.address_id),
    memo: or(Memo, row.memo),
    asset: AssetId(row.asset),
    depositId: DepositId(row.deposit_id),
    transactionId: or(TransactionId, row.transaction_id),
    amount: storedAmount(row.amount),
    epoch: row.epoch,
    evidence: row.evidence as Deposit['evidence'],
    confirmations: row.confirmations,
    change: row.change === 1,
    ownTransfer: row.own_transfer === 1,
    unattributed: row.unattributed === 1,
    attributedTo: row.attributed_to,
    attributedBy: row.attributed_by,
    decimalsChanged: row.decimals_changed === 1,
    operatorHold: row.operator_hold,
    approvals: JSON.parse(row.approvals) as Deposit['approvals'],
    verifiedAt: row.verified_at,
    custodyConfirmations: row.custody_confirmations,
    credit:
      row.credit_id === null || row.credit_amount === null || row.credited_at === null
        ? null
        : {
            creditId: CreditId(row.credit_id),
            amount: storedAmount(row.credit_amount),
            creditedAt: row.credited_at,
            reference: row.credit_reference,
          },
    creditsIssued: row.credits_issued,
    reversed: or(CreditId, row.reversed_credit_id),
    state: row.state as DepositState,
    reason: row.reason as HoldReason | null,
    requiredConfirmations: row.required_confirmations,
    firstSeenAt: row.first_seen_at,
    updatedAt: row.updated_at,
  };
}

const HOUR_MS = 3_600_000;

/** Whole hours since 1970. `at`: Unix milliseconds. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}

/** The row of a deposit. `key`: the columns that a deposit itself does not hold. */
export function depositRow(
  deposit: Deposit,
  key: Pick<DepositRow, 'hash_id' | 'first_seq'>,
): DepositRow {
  // No spread, because V8 builds and reads wide objects made by one slowly.
  return {
    hash_id: key.hash_id,
    first_seq: key.first_seq,
    deposit_id: deposit.depositId,
    vault_id: deposit.vaultId,
    network: deposit.network,
    blockchain_hash: deposit.blockchainHash,
    account_id: deposit.accountId,
    address_id: deposit.addressId,
    memo: deposit.memo,
    asset: deposit.asset,
    transaction_id: deposit.transactionId,
    amount: deposit.amount.toString(),
    epoch: deposit.epoch,
    evidence: deposit.evidence,
    confirmations: deposit.confirmations,
    change: deposit.change ? 1 : 0,
    own_transfer: deposit.ownTransfer ? 1 : 0,
    unattributed: deposit.unattributed ? 1 : 0,
    attributed_to: deposit.attributedTo,
    attributed_by: deposit.attributedBy,
    decimals_changed: deposit.decimalsChanged ? 1 : 0,
    operator_hold: deposit.operatorHold,
    approvals: JSON.stringify(deposit.approvals),
    verified_at: deposit.verifiedAt,
    custody_confirmations: deposit.custodyConfirmations,
    credit_id: deposit.credit?.creditId ?? null,
    credit_amount: deposit.credit?.amount.toString() ?? null,
    credited_at: deposit.credit?.creditedAt ?? null,
    credit_reference: deposit.credit?.reference ?? null,
    credits_issued: deposit.creditsIssued,
    reversed_credit_id: deposit.reversed,
    state: deposit.state,
    reason: deposit.reason,
    required_confirmations: deposit.requiredConfirmations,
    first_seen_at: deposit.firstSeenAt,
    updated_at: deposit.updatedAt,
    updated_hour: hourOf(deposit.updatedAt),
  };
}

/** Reads a withdrawal from its row. */
export function withdrawalOf(row: WithdrawalRow): Withdrawal {
  return {
    transactionId: TransactionId(row.transaction_id),
    vaultId: VaultId(row.vault_id),
    orderId: row.order_id,
    network: or(NetworkKey, row.network),
    blockchainHash: or(BlockchainHash, row.blockchain_hash),
    accountId: or(AccountId, row.account_id),
    addressId: or(AddressId, row.address_id),
    destinationAddress: row.destination_address,
    memo: or(Memo, row.memo),
    status: row.status as WithdrawalStatus | null,
    reasonCode: row.reason_code,
    entryId: row.entry_id,
    posted: unpackChanges(JSON.parse(row.posted)),
    custody: row.custody as Withdrawal['custody'],
    firstSeenAt: row.first_seen_at,
    updatedAt: row.updated_at,
  };
}

/** The row of a withdrawal. `hashId`: the number of its hash; null without a hash. */
export function withdrawalRow(withdrawal: Withdrawal, hashId: number | null): WithdrawalRow {
  return {
    hash_id: hashId,
    transaction_id: withdrawal.transactionId,
    vault_id: withdrawal.vaultId,
    order_id: withdrawal.orderId,
    network: withdrawal.network,
    blockchain_hash: withdrawal.blockchainHash,
    account_id: withdrawal.accountId,
    address_id: withdrawal.addressId,
    destination_address: withdrawal.destinationAddress,
    memo: withdrawal.memo,
    status: withdrawal.status,
    reason_code: withdrawal.reasonCode,
    entry_id: withdrawal.entryId,
    posted: JSON.stringify(packChanges(withdrawal.posted)),
    custody: withdrawal.custody,
    first_seen_at: withdrawal.firstSeenAt,
    updated_at: withdrawal.updatedAt,
  };
}

/** Reads an own hash from its row. */
export function ownHashOf(row: OwnHashRow): OwnHash {
  return {
    network: NetworkKey(row.network),
    blockchainHash: BlockchainHash(row.blockchain_hash),
    transactionId: TransactionId(row.transaction_id),
    certainty: row.standing as OwnHash['certainty'],
  };
}

/** Reads a movement from its row. */
export function movementOf(row: MovementRow): Movement {
  return {
    vaultId: VaultId(row.vault_id),
    network: NetworkKey(row.network),
    blockchainHash: BlockchainHash(row.blockchain_hash),
    asset: AssetId(row.asset),
    books: storedAmount(row.books),
    chain: storedAmount(row.chain),
    custody: row.custody === null ? null : storedAmount(row.custody),
    onBooks: row.on_books === 1,
    onChain: row.on_chain === 1,
    changedAt: row.changed_at,
    judged: row.judged as Movement['judged'],
  };
}

/** Reads a quarantined body's record from its row. */
export function quarantineOf(row: QuarantineTableRow): QuarantineRow {
  return {
    quarantineId: row.quarantine_id,
    seq: row.seq,
    notificationId: row.notification_id,
    digest: row.digest,
    defect: row.defect,
    state: row.state as QuarantineRow['state'],
    receivedAt: row.received_at,
    retriedAt: row.retried_at,
  };
}
