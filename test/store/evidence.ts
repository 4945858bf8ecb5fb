import { Amount } from '../../src/domain/money/amount.ts';
import type { CustodyTransaction } from '../../src/domain/fact/custody-record.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import type { BalanceChange } from '../../src/domain/fact/notification.ts';
import type { DepositId } from '../../src/domain/ids.ts';
import type { FactOutcome } from '../../src/store/port.ts';
import type { OpenLedger } from './open-ledger.ts';
import { ETH, HASH } from './webhook.ts';

/** A balance change at the position that most tests use. */
export function balanceChange(amount: bigint, more: Partial<BalanceChange> = {}): BalanceChange {
  return {
    asset: AssetId(ETH),
    amount: Amount(amount),
    kind: 'transfer',
    accountId: AccountId('acc-1'),
    addressId: AddressId('adr-1'),
    memo: null,
    decimals: null,
    ...more,
  };
}

/** The custody API's record of the deposit in the webhooks of `Service.incoming`. */
export function received(more: Partial<CustodyTransaction> = {}): CustodyTransaction {
  return {
    transactionId: TransactionId('dep-tx'),
    vaultId: VaultId('v1'),
    type: 'incoming',
    status: 'confirmed',
    orderId: null,
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash(HASH),
    accountId: AccountId('acc-1'),
    addressId: AddressId('adr-1'),
    destinationAddress: null,
    memo: null,
    confirmations: 6,
    changes: [balanceChange(100n)],
    reasonCode: null,
    updatedAt: 0,
    ...more,
  };
}

/** The custody API's record of the withdrawal in the webhooks of `Service.outgoing`. */
export function sent(more: Partial<CustodyTransaction> = {}): CustodyTransaction {
  return received({
    transactionId: TransactionId('wd-tx'),
    type: 'outgoing',
    status: 'mined',
    accountId: null,
    addressId: null,
    changes: [balanceChange(-30n), balanceChange(-2n, { kind: 'fee' })],
    ...more,
  });
}

/** Gives the ledger the custody API's record of its only deposit; by default one that agrees. */
export function verifyWith(
  open: OpenLedger,
  more: Partial<CustodyTransaction> | null = {},
  depositId: DepositId = open.depositId(),
): Promise<FactOutcome> {
  const transaction = more === null ? null : received(more);
  return open.record({ kind: 'deposit', depositId, transaction, graceMs: 0 });
}
