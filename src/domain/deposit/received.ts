import { plus, ZERO, type Amount } from '../money/amount.ts';
import type { Deposit } from './deposit.ts';
import type { RuleContext } from '../hash/hash-state.ts';
import type { AssetId } from '../ids.ts';
import { isBeside, type BalanceChange, type IncomingNotification } from '../fact/notification.ts';

/** What a deposit received of one asset. */
export interface Received {
  readonly asset: AssetId;
  readonly amount: Amount;
  readonly change: boolean;
  readonly attributed: boolean;
  readonly decimals: number | null;
}

/**
 * The deposits in an incoming notification: per asset the sum of its transfer and change entries,
 * in smallest units, when it is positive. Fee, rebate and mint entries (the specification, section
 * "Tags on balance change entries") post to the books but are not the customer's.
 */
export function receivedIn(list: readonly BalanceChange[]): Received[] {
  const byAsset = new Map<AssetId, Received>();
  for (const one of list) {
    if (isBeside(one)) continue;
    const { asset, amount, kind, memo, decimals } = one;
    const known = byAsset.get(asset);
    byAsset.set(asset, {
      asset,
      amount: plus(known?.amount ?? ZERO, amount),
      change: (known?.change ?? false) || kind === 'change',
      attributed: (known?.attributed ?? false) || memo !== null,
      decimals: known?.decimals ?? decimals,
    });
  }
  return [...byAsset.values()].filter((received) => received.amount > ZERO);
}

/** Whether the custody API's record leaves open whose memo the deposit has. */
export function isUnattributed(
  { memo, unattributed }: Deposit,
  received: Received | undefined,
): boolean {
  return received === undefined ? unattributed : memo !== null && !received.attributed;
}

/** A new deposit: only what it received is known. */
export function newDeposit(
  received: Received,
  context: { notification: IncomingNotification; epoch: number; now: RuleContext },
): Deposit {
  const { notification, epoch, now } = context;
  const { vaultId, network, blockchainHash, accountId, addressId, memo } = notification;
  const { asset } = received;
  const parts = [vaultId, network, blockchainHash, accountId, addressId, memo, asset];
  return {
    vaultId,
    network,
    blockchainHash,
    accountId,
    addressId,
    memo,
    asset,
    depositId: now.mint.deposit(parts),
    networkAddress: null,
    reportedAddress: notification.networkAddress,
    transactionId: notification.transactionId,
    amount: received.amount,
    epoch,
    evidence: 'none',
    confirmations: 0,
    change: received.change,
    ownTransfer: false,
    unattributed: false,
    attributedTo: null,
    attributedBy: null,
    decimalsChanged: false,
    operatorHold: null,
    approvals: [],
    verifiedAt: null,
    matchedAt: null,
    custodyConfirmations: 0,
    custodyCreatedAt: null,
    credit: null,
    creditsIssued: 0,
    reversed: null,
    state: 'detected',
    reason: null,
    requiredConfirmations: 0,
    firstSeenAt: now.at,
    updatedAt: now.at,
  };
}

/** The depth of an event; 0 in the mempool. */
export function countOf({ type, confirmations }: IncomingNotification): number {
  return type === 'confirmation' ? (confirmations ?? 0) : 0;
}

interface SightedIn {
  readonly notification: IncomingNotification;
  readonly now: RuleContext;
  readonly ownTransfer: boolean;
  /** The sighting's posted balance changes, with the decimals known so far. */
  readonly posted: readonly BalanceChange[];
  /** Whether the custody API corrected the position: then the notification changes no amount. */
  readonly isCorrected: boolean;
  /** Whether the notification posts nothing, because a deeper confirmation or the API decided. */
  readonly isOutOfDate: boolean;
}

/**
 * Whether a deposit arrives with other decimals than its asset's pinned ones. Known decimals are
 * not reported twice: a person's release stays valid.
 */
function bringsOtherDecimals(deposit: Deposit, received: Received, context: SightedIn): boolean {
  const { asset, decimals } = received;
  if (context.isCorrected) return false;
  const pinned = context.now.pinnedDecimals(asset);
  if (pinned === undefined || decimals === null || decimals === pinned) return false;
  if (received.amount !== deposit.amount) return true;
  const before = receivedIn(context.posted).find((one) => one.asset === asset);
  return before?.decimals !== decimals;
}

/**
 * The best evidence after an event that counts so many confirmations. A credited deposit that was
 * rolled back waits for its reversal, also when it is in the mempool again.
 */
function evidenceAfter({ evidence, credit }: Deposit, count: number): Deposit['evidence'] {
  if (count >= 1 || evidence === 'confirmed') return 'confirmed';
  return credit === null ? 'mempool' : evidence;
}

/** The deposit after a mempool or confirmation event. */
export function sighted(deposit: Deposit, received: Received, context: SightedIn): Deposit {
  const { notification, now, ownTransfer } = context;
  const count = countOf(notification);
  const amountChanges = received.amount !== deposit.amount;
  const older = context.isOutOfDate || context.isCorrected || count < deposit.confirmations;
  const unattributed = notification.memo !== null && !received.attributed;
  const attributionChanges = unattributed !== deposit.unattributed;
  // A verification compared the old amount and attribution only.
  const staysVerified = older || !(amountChanges || attributionChanges);
  const verifiedAt = staysVerified ? deposit.verifiedAt : null;
  const evidence = evidenceAfter(deposit, count);
  // Forged events that say nothing new must not keep the deposit from being stale.
  const isDeeper =
    count > deposit.confirmations && deposit.confirmations < deposit.requiredConfirmations;
  const isNews = isDeeper || !staysVerified || evidence !== deposit.evidence;
  return {
    ...deposit,
    transactionId: deposit.transactionId ?? notification.transactionId,
    // The newest confirmation of the epoch wins; a late older one must not undo it.
    amount: older ? deposit.amount : received.amount,
    evidence,
    confirmations: Math.max(deposit.confirmations, count),
    // Webhooks are unsigned: once the custody API's record matched, its tags decide what is change.
    change: deposit.change || (received.change && verifiedAt === null),
    ownTransfer,
    unattributed: older ? deposit.unattributed : unattributed,
    decimalsChanged: deposit.decimalsChanged || bringsOtherDecimals(deposit, received, context),
    // An approval is for the amount that the person saw.
    approvals: amountChanges && !older ? [] : deposit.approvals,
    verifiedAt,
    matchedAt: staysVerified ? deposit.matchedAt : null,
    updatedAt: isNews ? now.at : deposit.updatedAt,
  };
}
