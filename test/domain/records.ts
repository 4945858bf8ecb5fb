import { Amount } from '../../src/domain/money/amount.ts';
import type { Deposit } from '../../src/domain/deposit/deposit.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  DepositId,
  IdMint,
  NetworkKey,
  NotificationId,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import type { RuleContext } from '../../src/domain/hash/hash-state.ts';
import type { Entry } from '../../src/domain/money/entry.ts';
import type { OutgoingEvent, OutgoingNotification } from '../../src/domain/fact/notification.ts';
import type { Sighting } from '../../src/domain/hash/sighting.ts';
import type { Withdrawal, WithdrawalStatus } from '../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange, sent } from '../store/evidence.ts';

/** 100 units, six deep, verified at six by the custody API: a credit is due. */
export const DUE: Deposit = {
  depositId: DepositId('dep_1'),
  vaultId: VaultId('v1'),
  network: NetworkKey('ethereum'),
  blockchainHash: BlockchainHash('0xa1'),
  accountId: AccountId('acc-1'),
  addressId: AddressId('adr-1'),
  networkAddress: null,
  reportedAddress: null,
  memo: null,
  asset: AssetId('ethereum:ETH'),
  transactionId: TransactionId('dep-tx'),
  amount: Amount(100n),
  epoch: 0,
  evidence: 'confirmed',
  confirmations: 6,
  change: false,
  ownTransfer: false,
  unattributed: false,
  attributedTo: null,
  attributedBy: null,
  decimalsChanged: false,
  operatorHold: null,
  approvals: [],
  verifiedAt: 5,
  matchedAt: null,
  custodyCreatedAt: null,
  custodyConfirmations: 6,
  credit: null,
  creditsIssued: 0,
  reversed: null,
  state: 'verifying',
  reason: null,
  requiredConfirmations: 6,
  firstSeenAt: 1,
  updatedAt: 2,
};

/** Of 30 and a fee of 2; it changed last at 0. */
export function withdrawal(
  status: WithdrawalStatus | null,
  posted = [balanceChange(-30n), balanceChange(-2n, { kind: 'fee' })],
): Withdrawal {
  const { transactionId, vaultId, network, blockchainHash } = sent();
  return {
    transactionId,
    vaultId,
    network,
    blockchainHash,
    orderId: null,
    accountId: null,
    addressId: null,
    destinationAddress: null,
    memo: null,
    status,
    reasonCode: null,
    entryId: null,
    posted,
    custody: 'unasked',
    firstSeenAt: 0,
    updatedAt: 0,
  };
}

/** An event of `wd-tx` that names nothing but its transaction. */
export function outgoing(
  type: OutgoingEvent,
  more: Partial<OutgoingNotification> = {},
): OutgoingNotification {
  return {
    stream: 'outgoing',
    type,
    id: NotificationId('ntf-1'),
    vaultId: VaultId('v1'),
    transactionId: TransactionId('wd-tx'),
    orderId: null,
    network: null,
    blockchainHash: null,
    accountId: null,
    addressId: null,
    destinationAddress: null,
    memo: null,
    reasonCode: null,
    changes: null,
    ...more,
  };
}

/** The seventh fact of a journal, a webhook, at 99, under a policy of six confirmations. */
export function ruleContext(more: Partial<RuleContext> = {}): RuleContext {
  return {
    at: 99,
    source: 'webhook',
    mint: new IdMint(7, (text) => `<${text}>`),
    policy: { default: { confirmations: 6 }, networks: {}, assets: {} },
    pinnedDecimals: () => undefined,
    ...more,
  };
}

/** The chain view of the hash of `DUE` in its vault; empty by default. */
export function chainView(more: Partial<Sighting> = {}): Sighting {
  const { network, blockchainHash, vaultId } = DUE;
  return {
    network,
    blockchainHash,
    vaultId,
    stream: 'blockchain',
    accountId: null,
    addressId: null,
    memo: null,
    epoch: 0,
    rolledBackAt: null,
    seen: [],
    entryId: null,
    posted: [],
    ...more,
  };
}

/** `mined by webhook: -30 -2`, an entry each; `mined by api takes back 5: 30 2`. */
export function postedBy(entries: readonly Entry[]): string[] {
  return entries.map(({ cause, source, reverses, postings }) => {
    const amounts = postings
      .filter(({ account }) => account.kind === 'position')
      .map(({ amount }) => String(amount));
    const back = reverses === null ? '' : ` takes back ${reverses}`;
    return `${cause} by ${source}${back}: ${amounts.join(' ')}`;
  });
}
