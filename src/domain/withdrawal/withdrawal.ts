import type {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../ids.ts';
import type { BalanceChange, OutgoingEvent, OutgoingNotification } from '../fact/notification.ts';

/**
 * Statuses of an outgoing transaction: its last event that is not merely informational. In the order
 * in which it passes them; ends last. Events may arrive in any order, so a status never moves backwards
 * (`RANK`). Spec, "Outgoing transaction progress".
 */
export const WITHDRAWAL_STATUSES = [
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
  'submitted',
  'mined',
  'failed',
  'cancelled',
  'replaced',
  'rolledback',
] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/**
 * `rolledback` and `replaced` are final: they reverse what `mined` posted, and a later `mined` is
 * old news. `mined` outranks `failed` and `cancelled`: it alone carries balance changes, and the
 * reconciler reports a different API status. `failed` outranks `cancelled`: it may have burned a
 * fee, which must not depend on the order of arrival.
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
 * What the custody API knows of a transaction; webhooks are unsigned.
 *
 * | knowledge | is | left when |
 * |---|---|---|
 * | `unasked` | the API has shown nothing of it yet | its record appears, or a look-up answers 404 |
 * | `known` | its record agrees with ours | a webhook reports another final status or hash |
 * | `doubted` | its record differs, or webhooks reported more since | its record agrees, or a look-up answers 404 |
 * | `unknown` | the API does not know it: nothing is posted for it, and it marks no deposit | its record appears |
 */
export const CUSTODY_KNOWLEDGE = ['unasked', 'known', 'doubted', 'unknown'] as const;
export type CustodyKnowledge = (typeof CUSTODY_KNOWLEDGE)[number];

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
  /** Its active entry in the books, or null: what `mined` posted, or a burned fee. */
  readonly entryId: number | null;
  readonly posted: readonly BalanceChange[];
  readonly custody: CustodyKnowledge;
  readonly firstSeenAt: number;
  readonly updatedAt: number;
}

/** Statuses that end a transaction (spec, "States and transitions", rule 1). */
export const TERMINAL_STATUSES = [
  'mined',
  'failed',
  'cancelled',
  'replaced',
  'rolledback',
] as const satisfies readonly WithdrawalStatus[];

const TERMINAL = new Set<WithdrawalStatus>(TERMINAL_STATUSES);

/** Whether a status ends a transaction (spec, "States and transitions", rule 1). */
export function isTerminalStatus(status: WithdrawalStatus): boolean {
  return TERMINAL.has(status);
}

/** Whether the withdrawal has ended. */
export function isTerminal(withdrawal: Withdrawal): boolean {
  return withdrawal.status !== null && isTerminalStatus(withdrawal.status);
}

/** Whether the withdrawal has ended without the custody API's confirmation. */
export function awaitsConfirmation(withdrawal: Withdrawal): boolean {
  const { custody } = withdrawal;
  return isTerminal(withdrawal) && (custody === 'unasked' || custody === 'doubted');
}

/**
 * Whether status `to` advances a withdrawal at status `from`. Delivery order is not guaranteed (the
 * specification, section "Outgoing transaction progress", rule 2), so a lower rank never replaces a
 * higher one.
 */
export function advances(from: WithdrawalStatus | null, to: WithdrawalStatus | null): boolean {
  if (to === null) return false;
  return from === null || RANK[to] > RANK[from];
}

/** The status that an event leads to; null for informational events. */
export function statusOf(event: OutgoingEvent): WithdrawalStatus | null {
  return STATUS_OF[event];
}

/**
 * The status for a custody API status text; undefined for an unknown one. The specification names
 * only `requested` (section "Outgoing transaction progress", rule 4).
 */
export function knownStatus(status: string): WithdrawalStatus | undefined {
  return Object.hasOwn(RANK, status) ? (status as WithdrawalStatus) : undefined;
}

/** A new withdrawal: only its id and position are known. `at`: Unix milliseconds. */
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
 * The hash after an event: the first that an event named, or the one of the final on-chain event,
 * because a replacement has another hash. `replaced` may name the replacement's hash instead.
 */
function hashAfter(
  { blockchainHash: before }: Withdrawal,
  { type, blockchainHash: named }: OutgoingNotification,
  moves: boolean,
): BlockchainHash | null {
  const isLastWord = moves && (type === 'mined' || type === 'failed');
  return isLastWord ? (named ?? before) : (before ?? named);
}

/**
 * The withdrawal after an event (spec, "Outgoing transaction progress"). `at`: Unix milliseconds.
 */
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
