import { approvalsNeeded, type PolicyRule } from './crediting.ts';
import type { Amount } from './amount.ts';
import type {
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
} from './ids.ts';

/**
 * States of a deposit.
 *
 * | state | is | left when |
 * |---|---|---|
 * | `detected` | seen in the mempool, nothing posted | a confirmation posts it |
 * | `confirming` | posted, below the policy depth | the depth is reached |
 * | `verifying` | deep enough, waiting for the custody API | a matching record arrives |
 * | `credited` | its credit is in the feed | the consumer acknowledges, or the API agrees that its hash left the chain |
 * | `settled` | acknowledged | the API agrees that its hash left the chain |
 * | `internal` | change, or a transfer between own addresses: never a customer's | its hash leaves the chain, or turns out to be no own one |
 * | `held` | a rule or a person stops it; `reason` says which | the reason goes away |
 * | `rolled_back` | its hash left the chain before any credit | it is mined again |
 * | `reversed` | its hash left the chain after a credit, and the feed says so | it is mined again |
 */
export type DepositState =
  | 'detected'
  | 'confirming'
  | 'verifying'
  | 'credited'
  | 'settled'
  | 'internal'
  | 'held'
  | 'rolled_back'
  | 'reversed';

export const HOLD_REASONS = [
  'operator_hold',
  'unattributed_memo',
  'memo_required',
  'decimals_changed',
  'dust',
  'halted',
  'approval_required',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What identifies a deposit: a hash can hold several. */
export interface DepositKey {
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly memo: Memo | null;
  readonly asset: AssetId;
}

export interface Approval {
  /** The name of the token that approved. */
  readonly person: string;
  readonly reason: string;
  readonly at: number;
}

/** The credit that stands in the feed for this deposit and has not been reversed. */
export interface StandingCredit {
  readonly creditId: CreditId;
  readonly amount: Amount;
  /** When it came into the feed. */
  readonly creditedAt: number;
  /** The consumer's reference, once it acknowledged. */
  readonly reference: string | null;
}

/** Everything known about a deposit. Times are Unix milliseconds; amounts smallest units. */
export interface Deposit extends DepositKey {
  readonly depositId: DepositId;
  readonly transactionId: TransactionId | null;
  /** The sum of its transfer entries alone: fee, rebate and mint are not the customer's. */
  readonly amount: Amount;
  readonly epoch: number;
  /** The best evidence of this epoch; `none` after a rollback. */
  readonly evidence: 'none' | 'mempool' | 'confirmed';
  /** The highest count the webhooks told in this epoch; never lowered within it. */
  readonly confirmations: number;
  readonly change: boolean;
  /** Its hash belongs to an own outgoing transaction. */
  readonly ownTransfer: boolean;
  /** Arrived with a memo that no `memoInfo` attributes. */
  readonly unattributed: boolean;
  /** Who an operator attributed it to, or null. */
  readonly attributedTo: string | null;
  /** Who said so; null where nobody did, or an earlier version journalled it. */
  readonly attributedBy: string | null;
  readonly decimalsChanged: boolean;
  readonly operatorHold: string | null;
  /** Bound to epoch, amount and owner: a rollback, another amount, an attribution clear them. */
  readonly approvals: readonly Approval[];
  /** When the custody API's record matched, in this epoch; null until then. */
  readonly verifiedAt: number | null;
  /** Depth that the matching custody record showed. */
  readonly custodyConfirmations: number;
  readonly credit: StandingCredit | null;
  /** How many credits of it the feed has held; names the next one. */
  readonly creditsIssued: number;
  /** The last credit of it that was reversed. */
  readonly reversed: CreditId | null;
  readonly state: DepositState;
  readonly reason: HoldReason | null;
  readonly requiredConfirmations: number;
  readonly firstSeenAt: number;
  readonly updatedAt: number;
}

/** What the feed must say after a change of state. */
export type Verdict = Pick<Deposit, 'state' | 'reason'> & { readonly creditDue: boolean };

function verdict(state: DepositState): Verdict {
  return { state, reason: null, creditDue: false };
}

function held(reason: HoldReason): Verdict {
  return { state: 'held', reason, creditDue: false };
}

/** Distinct people who approved this epoch: one person with two tokens of one name counts once. */
export function approvers(deposit: Deposit): Set<string> {
  return new Set(deposit.approvals.map((approval) => approval.person));
}

/**
 * Whether enough people approved. Nobody both attributes a deposit and completes its approvals:
 * the last one needed, or a later one, must be by another person.
 */
export function isApproved(deposit: Deposit, needed: number): boolean {
  if (needed === 0) return true;
  const lastOrLater = [...approvers(deposit)].slice(needed - 1);
  return lastOrLater.some((person) => person !== deposit.attributedBy);
}

function isInternal(deposit: Deposit, rule: PolicyRule): boolean {
  return deposit.change || (deposit.ownTransfer && !rule.creditInternal);
}

/** Reasons that hold a deposit from its first confirmation on, whatever its depth. */
function standingHold(deposit: Deposit, rule: PolicyRule): HoldReason | null {
  if (deposit.operatorHold !== null) return 'operator_hold';
  if (deposit.attributedTo === null) {
    if (deposit.unattributed) return 'unattributed_memo';
    if (rule.requireMemo && deposit.memo === null) return 'memo_required';
  }
  if (deposit.decimalsChanged) return 'decimals_changed';
  if (deposit.amount < rule.minimumAmount) return 'dust';
  return null;
}

/**
 * Where a deposit stands, from its facts and the policy alone. A credit is due only when every
 * gate is open: deep enough, verified against the custody API at that depth, approved, not held.
 */
export function judge(deposit: Deposit, rule: PolicyRule): Verdict {
  if (deposit.credit !== null) {
    return verdict(deposit.credit.reference === null ? 'credited' : 'settled');
  }
  if (deposit.evidence === 'none') {
    return verdict(deposit.reversed === null ? 'rolled_back' : 'reversed');
  }
  if (isInternal(deposit, rule)) return verdict('internal');
  if (deposit.evidence === 'mempool') return verdict('detected');
  const hold = standingHold(deposit, rule);
  if (hold !== null) return held(hold);
  const depth = Math.max(deposit.confirmations, deposit.custodyConfirmations);
  if (depth < rule.confirmations) return verdict('confirming');
  if (rule.halted) return held('halted');
  if (!isApproved(deposit, approvalsNeeded(rule, deposit.amount))) {
    return held('approval_required');
  }
  const verified =
    deposit.verifiedAt !== null && deposit.custodyConfirmations >= rule.confirmations;
  return { state: 'verifying', reason: null, creditDue: verified };
}

/** The deposit as a rule judges it: the same one where it stands so already. */
export function asJudged(deposit: Deposit, { state, reason }: Verdict, rule: PolicyRule): Deposit {
  const { confirmations } = rule;
  const stands =
    state === deposit.state &&
    reason === deposit.reason &&
    confirmations === deposit.requiredConfirmations;
  return stands ? deposit : { ...deposit, state, reason, requiredConfirmations: confirmations };
}

/** Whether a deposit stands as this rule judges it: nothing to change, and no credit due. */
export function standsBy(deposit: Deposit, rule: PolicyRule): boolean {
  const judged = judge(deposit, rule);
  return !judged.creditDue && asJudged(deposit, judged, rule) === deposit;
}

/** Whether the custody API still has to be asked about it. */
export function awaitsCustody(deposit: Deposit): boolean {
  if (deposit.credit !== null) return deposit.evidence === 'none';
  if (deposit.evidence !== 'confirmed') return false;
  // An internal one is booked like any other: it is asked for until it has matched once.
  return deposit.state !== 'internal' || deposit.verifiedAt === null;
}

/**
 * Whether the custody API must be asked about it now: nothing but its word keeps the feed from a
 * credit, or from the reversal of one.
 */
export function isDue({ state, credit, evidence }: Deposit): boolean {
  return credit === null ? state === 'verifying' : evidence === 'none';
}

/** The deposit after its hash left the chain: everything that was bound to the epoch is gone. */
export function rolledBack(deposit: Deposit, at: number): Deposit {
  return {
    ...deposit,
    epoch: deposit.epoch + 1,
    evidence: 'none',
    confirmations: 0,
    custodyConfirmations: 0,
    verifiedAt: null,
    approvals: [],
    updatedAt: at,
  };
}
