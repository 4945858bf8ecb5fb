import type {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from './ids.ts';
import type { BalanceChange, OutgoingEvent, OutgoingNotification } from './notification.ts';

/**
 * Statuses of an outgoing transaction: its last event that is not merely informational. Delivery
 * order is not guaranteed, so a status never moves backwards (`RANK`).
 */
export type WithdrawalStatus =
  | 'approval-pending'
  | 'requested'
  | 'inited'
  | 'to-sign'
  | 'signed'
  | 'submitted'
  | 'mined'
  | 'failed'
  | 'cancelled'
  | 'replaced'
  | 'rolledback';

/**
 * `rolledback` and `replaced` are final: they take back what `mined` posted, and a `mined` that
 * arrives after them is late news. `mined` outranks `failed` and `cancelled`: it alone carries
 * balance changes, and the reconciler reports it when the custody API says otherwise. `failed`
 * outranks `cancelled`: it may have burned a fee, which must not depend on what arrived first.
 */
const RANK: Record<WithdrawalStatus, number> = {
  'approval-pending': 1,
  requested: 2,
  inited: 3,
  'to-sign': 4,
  signed: 5,
  submitted: 6,
  cancelled: 7,
  failed: 8,
  mined: 9,
  replaced: 10,
  rolledback: 10,
};

const STATUS_OF: Record<OutgoingEvent, WithdrawalStatus | null> = {
  'approval-pending': 'approval-pending',
  approved: null,
  pending: 'requested',
  requested: 'requested',
  inited: 'inited',
  'to-sign': 'to-sign',
  signed: 'signed',
  submitted: 'submitted',
  mined: 'mined',
  warning: null,
  cancelled: 'cancelled',
  failed: 'failed',
  rolledback: 'rolledback',
  replaced: 'replaced',
};

/**
 * What the custody API says of a transaction; webhooks are unsigned.
 *
 * | standing | is | left when |
 * |---|---|---|
 * | `unasked` | it has shown nothing of it yet | its record turns up, or a look-up answers 404 |
 * | `known` | its record agrees with what stands here | a webhook tells of another end or another hash |
 * | `doubted` | it has shown it, and says otherwise, or webhooks have told more since | its record agrees, or a look-up answers 404 |
 * | `unknown` | it does not know it: nothing is posted for it, and no deposit is held for its own | its record turns up |
 */
export type CustodyStanding = 'unasked' | 'known' | 'doubted' | 'unknown';

/** A platform transaction. Times are Unix milliseconds. */
export interface Withdrawal {
  readonly transactionId: TransactionId;
  readonly vaultId: VaultId;
  readonly orderId: string | null;
  readonly network: NetworkKey | null;
  readonly blockchainHash: BlockchainHash | null;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly destinationAddress: string | null;
  readonly memo: Memo | null;
  /** Null while only informational events have arrived. */
  readonly status: WithdrawalStatus | null;
  readonly reasonCode: string | null;
  /** The entry that stands for it in the books, or null: what `mined` posted, or a burned fee. */
  readonly entryId: number | null;
  readonly posted: readonly BalanceChange[];
  readonly custody: CustodyStanding;
  readonly firstSeenAt: number;
  readonly updatedAt: number;
}

/** Statuses that end a transaction (spec, "States and transitions", rule 1). */
const TERMINAL = new Set<WithdrawalStatus>([
  'mined',
  'failed',
  'cancelled',
  'replaced',
  'rolledback',
]);

export function isTerminalStatus(status: WithdrawalStatus): boolean {
  return TERMINAL.has(status);
}

export function isTerminal(withdrawal: Withdrawal): boolean {
  return withdrawal.status !== null && isTerminalStatus(withdrawal.status);
}

/** Whether it has ended, and the custody API has not said so yet. */
export function awaitsConfirmation(withdrawal: Withdrawal): boolean {
  const { custody } = withdrawal;
  return isTerminal(withdrawal) && (custody === 'unasked' || custody === 'doubted');
}

/** Whether an event of this kind moves a withdrawal of this status. */
export function advances(from: WithdrawalStatus | null, to: WithdrawalStatus | null): boolean {
  if (to === null) return false;
  return from === null || RANK[to] > RANK[from];
}

export function statusOf(event: OutgoingEvent): WithdrawalStatus | null {
  return STATUS_OF[event];
}

/** A custody status that we know, or undefined. */
export function knownStatus(status: string): WithdrawalStatus | undefined {
  return Object.hasOwn(RANK, status) ? (status as WithdrawalStatus) : undefined;
}

/** A withdrawal that nothing has been told about yet but its id. */
export function newWithdrawal(notification: OutgoingNotification, at: number): Withdrawal {
  return {
    transactionId: notification.transactionId,
    vaultId: notification.vaultId,
    orderId: notification.orderId,
    network: notification.network,
    blockchainHash: null,
    accountId: notification.accountId,
    addressId: notification.addressId,
    destinationAddress: notification.destinationAddress,
    memo: notification.memo,
    status: null,
    reasonCode: null,
    entryId: null,
    posted: [],
    custody: 'unasked',
    firstSeenAt: at,
    updatedAt: at,
  };
}

/**
 * The hash of a withdrawal after an event: of the first event that carries one, and in any case of
 * what ended it on the chain, since it may have been sent again under another hash. `replaced` may
 * name the replacement's hash instead of its own.
 */
function hashAfter(
  { blockchainHash: before }: Withdrawal,
  { type, blockchainHash: told }: OutgoingNotification,
  moves: boolean,
): BlockchainHash | null {
  const isLastWord = moves && (type === 'mined' || type === 'failed');
  return isLastWord ? (told ?? before) : (before ?? told);
}

/** The withdrawal after an event. */
export function withOutgoingEvent(
  withdrawal: Withdrawal,
  notification: OutgoingNotification,
  at: number,
): Withdrawal {
  const status = statusOf(notification.type);
  const moves = advances(withdrawal.status, status);
  return {
    ...withdrawal,
    orderId: withdrawal.orderId ?? notification.orderId,
    network: withdrawal.network ?? notification.network,
    blockchainHash: hashAfter(withdrawal, notification, moves),
    accountId: withdrawal.accountId ?? notification.accountId,
    addressId: withdrawal.addressId ?? notification.addressId,
    destinationAddress: withdrawal.destinationAddress ?? notification.destinationAddress,
    memo: withdrawal.memo ?? notification.memo,
    status: moves ? status : withdrawal.status,
    reasonCode:
      moves || notification.type === 'warning' ? notification.reasonCode : withdrawal.reasonCode,
    updatedAt: at,
  };
}
