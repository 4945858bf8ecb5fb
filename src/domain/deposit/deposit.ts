import { approvalsNeeded, type DepositRule, type PolicyRule } from '../policy/policy.ts';
import type { Amount } from '../money/amount.ts';
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
} from '../ids.ts';

/**
 * States of a deposit, in the order in which it passes them; exits last.
 *
 * | state | is | left when |
 * |---|---|---|
 * | `detected` | seen in the mempool, nothing posted | a confirmation posts it |
 * | `confirming` | posted, below the policy depth | the depth is reached |
 * | `verifying` | deep enough, waiting for the custody API | a matching record arrives |
 * | `credited` | its credit is in the feed | the consumer acknowledges it, or the API confirms a rollback |
 * | `settled` | its credit is acknowledged | the API confirms a rollback |
 * | `internal` | change, or a transfer between own addresses: never a customer's | it is rolled back, or its hash is not an own one |
 * | `held` | a rule or a person holds it; `reason` says which | the reason ends |
 * | `rolled_back` | rolled back before any credit | it is mined again |
 * | `reversed` | rolled back after a credit; the feed has the reversal | it is mined again |
 */
export const DEPOSIT_STATES = [
  'detected',
  'confirming',
  'verifying',
  'credited',
  'settled',
  'internal',
  'held',
  'rolled_back',
  'reversed',
] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];

export const HOLD_REASONS = [
  'operator_hold',
  'vault_not_credited',
  'before_start',
  'unattributed_memo',
  'memo_required',
  'decimals_changed',
  'dust',
  'halted',
  'approval_required',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Identifies a deposit; one hash can hold several. */
export interface DepositKey {
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly memo: Memo | null;
  readonly asset: AssetId;
}

/** One person's approval of a deposit. */
export interface Approval {
  /** The name of the approving token. */
  readonly person: string;
  readonly reason: string;
  readonly at: number;
}

/** The deposit's credit in the feed that no reversal has taken back. */
export interface ActiveCredit {
  readonly creditId: CreditId;
  readonly amount: Amount;
  /** When the feed received it, Unix milliseconds. */
  readonly creditedAt: number;
  /** The consumer's reference; null before the acknowledgement. */
  readonly reference: string | null;
}

/** Everything known about a deposit. Times are Unix milliseconds, amounts smallest units. */
export interface Deposit extends DepositKey {
  readonly depositId: DepositId;
  /** The on-chain address of `addressId` by the custody API's record; null before it names one. */
  readonly networkAddress: string | null;
  /**
   * The on-chain address that the first fact about the deposit names; nothing verifies it. Null
   * once the custody API's record names the same.
   */
  readonly reportedAddress: string | null;
  readonly transactionId: TransactionId | null;
  /** The sum of its transfer entries: fee, rebate and mint are not the customer's. */
  readonly amount: Amount;
  readonly epoch: number;
  /** The best evidence of this epoch; `none` after a rollback. */
  readonly evidence: 'none' | 'mempool' | 'confirmed';
  /** The highest count from webhooks in this epoch; it never falls within the epoch. */
  readonly confirmations: number;
  readonly change: boolean;
  /** Its hash belongs to an own outgoing transaction. */
  readonly ownTransfer: boolean;
  /** It arrived with a memo that no `memoInfo` attributes. */
  readonly unattributed: boolean;
  /** The owner that an operator attributed it to, or null. */
  readonly attributedTo: string | null;
  /** Who attributed it; null without an attribution, or when an earlier version journalled it. */
  readonly attributedBy: string | null;
  readonly decimalsChanged: boolean;
  readonly operatorHold: string | null;
  /** Bound to epoch, amount and owner: a rollback, another amount or an attribution clears them. */
  readonly approvals: readonly Approval[];
  /** When the custody API's record matched in this epoch; null before. */
  readonly verifiedAt: number | null;
  /**
   * When the custody API's record last matched, as far as the journal shows; null before, and where
   * only facts of earlier versions matched: their match never gets too old.
   */
  readonly matchedAt: number | null;
  /** The depth in the matching custody record. */
  readonly custodyConfirmations: number;
  /**
   * When the custody service created its transaction, by the service's clock; null before a record
   * matched, or without a readable time.
   */
  readonly custodyCreatedAt: number | null;
  readonly credit: ActiveCredit | null;
  /** How many credits of it the feed has held; names the next one. */
  readonly creditsIssued: number;
  /** Its last reversed credit. */
  readonly reversed: CreditId | null;
  readonly state: DepositState;
  readonly reason: HoldReason | null;
  readonly requiredConfirmations: number;
  readonly firstSeenAt: number;
  readonly updatedAt: number;
}

/** A deposit's state by its rule, and whether a credit is due. */
export type Evaluation = Pick<Deposit, 'state' | 'reason'> & { readonly creditDue: boolean };

function evaluation(state: DepositState): Evaluation {
  return { state, reason: null, creditDue: false };
}

function held(reason: HoldReason): Evaluation {
  return { state: 'held', reason, creditDue: false };
}

/** Distinct people who approved this epoch. Two tokens of one name count once. */
export function approvers(deposit: Deposit): Set<string> {
  return new Set(deposit.approvals.map((approval) => approval.person));
}

/** What a person's decision about a deposit depends on. One more confirmation changes none. */
export function partsOf(deposit: Deposit) {
  const { epoch, amount, attributedTo, operatorHold, decimalsChanged } = deposit;
  return [
    ['epoch', epoch],
    ['amount', amount.toString()],
    ['owner', attributedTo],
    ['hold by a person', operatorHold !== null],
    ['doubt about decimals', decimalsChanged],
    ['list of approvals', [...approvers(deposit)]],
  ] as const;
}

/**
 * Whether enough people approved. The person who attributed a deposit cannot complete its
 * approvals: the last needed approval, or a later one, must come from another person.
 */
export function isApproved(deposit: Deposit, needed: number): boolean {
  if (needed === 0) return true;
  const lastOrLater = [...approvers(deposit)].slice(needed - 1);
  return lastOrLater.some((person) => person !== deposit.attributedBy);
}

/** The deeper of the depths that webhooks and the custody API's record show. */
export function depthOf(deposit: Pick<Deposit, 'confirmations' | 'custodyConfirmations'>): number {
  return Math.max(deposit.confirmations, deposit.custodyConfirmations);
}

function isInternal(deposit: Deposit, rule: PolicyRule): boolean {
  return deposit.change || (deposit.ownTransfer && !rule.creditInternal);
}

/** Why a deposit lacks its owner; null when a memo, an account or a person names one. */
export function missingOwner(
  deposit: Deposit,
  rule: PolicyRule,
): 'unattributed_memo' | 'memo_required' | null {
  if (deposit.attributedTo !== null) return null;
  if (deposit.unattributed) return 'unattributed_memo';
  return rule.requireMemo && deposit.memo === null ? 'memo_required' : null;
}

/**
 * A match that is older credits nothing: a hold may last for days, and the transaction may vanish
 * meanwhile. This is also the longest interval between two look-ups of a deposit.
 */
export const MATCH_MS_MAX = 3_600_000;

/** A deposit that no record matches. */
export const UNVERIFIED = { verifiedAt: null, matchedAt: null } as const;

/** Whether the custody API must show the deposit again before a credit. `at`: Unix milliseconds. */
export function hasOldMatch({ matchedAt }: Deposit, at: number): boolean {
  return matchedAt !== null && at - matchedAt >= MATCH_MS_MAX;
}

/** The first creation counts: a transaction that is mined again may get a new time. */
export function earliestOf(known: number | null, shown: number | undefined): number | null {
  return known === null || shown === undefined ? (shown ?? known) : Math.min(known, shown);
}

/** Whether its transaction is older than the first one to credit. An unknown age counts as older. */
export function isBeforeStart(
  { verifiedAt, custodyCreatedAt }: Deposit,
  rule: DepositRule,
): boolean {
  if (rule.startsAt === null || verifiedAt === null) return false;
  return custodyCreatedAt === null || custodyCreatedAt < rule.startsAt;
}

/** Reasons that hold a deposit from its first confirmation on, at any depth. */
function holdAtAnyDepth(deposit: Deposit, rule: DepositRule): HoldReason | null {
  if (deposit.operatorHold !== null) return 'operator_hold';
  if (!rule.creditsVault) return 'vault_not_credited';
  if (isBeforeStart(deposit, rule)) return 'before_start';
  const withoutOwner = missingOwner(deposit, rule);
  if (withoutOwner !== null) return withoutOwner;
  if (deposit.decimalsChanged) return 'decimals_changed';
  if (deposit.amount < rule.minimumAmount) return 'dust';
  return null;
}

/**
 * The state of a deposit, from its facts and its rule alone. A credit is due only when every gate
 * is open: deep enough, verified against the custody API at that depth, approved, and not held. The
 * match may still be too old for it (`hasOldMatch`).
 */
export function evaluateState(deposit: Deposit, rule: DepositRule): Evaluation {
  if (deposit.credit !== null) {
    return evaluation(deposit.credit.reference === null ? 'credited' : 'settled');
  }
  if (deposit.evidence === 'none') {
    return evaluation(deposit.reversed === null ? 'rolled_back' : 'reversed');
  }
  if (isInternal(deposit, rule)) return evaluation('internal');
  if (deposit.evidence === 'mempool') return evaluation('detected');
  const hold = holdAtAnyDepth(deposit, rule);
  if (hold !== null) return held(hold);
  if (depthOf(deposit) < rule.confirmations) return evaluation('confirming');
  if (rule.halted) return held('halted');
  if (!isApproved(deposit, approvalsNeeded(rule, deposit.amount))) {
    return held('approval_required');
  }
  const verified =
    deposit.verifiedAt !== null && deposit.custodyConfirmations >= rule.confirmations;
  return { state: 'verifying', reason: null, creditDue: verified };
}

/** The deposit with the state that its rule gives it; the same object when nothing changes. */
export function withState(
  deposit: Deposit,
  { state, reason }: Evaluation,
  rule: PolicyRule,
): Deposit {
  const { confirmations } = rule;
  const isUnchanged =
    state === deposit.state &&
    reason === deposit.reason &&
    confirmations === deposit.requiredConfirmations;
  return isUnchanged
    ? deposit
    : { ...deposit, state, reason, requiredConfirmations: confirmations };
}

/**
 * Whether the deposit's transaction id comes from webhooks alone, as far as this epoch shows: mined
 * again after its reversal, a transaction may get another id.
 */
export function isNamedByWebhooksAlone({ verifiedAt, credit }: Deposit): boolean {
  return verifiedAt === null && credit === null;
}

/**
 * Whether the rule changes nothing: the state is current and no credit is due now. `at`: Unix
 * milliseconds.
 */
export function isUpToDate(deposit: Deposit, rule: DepositRule, at: number): boolean {
  const evaluated = evaluateState(deposit, rule);
  const creditDue = evaluated.creditDue && !hasOldMatch(deposit, at);
  return !creditDue && withState(deposit, evaluated, rule) === deposit;
}

/** Whether the custody API still must be asked about the deposit. */
export function awaitsCustody(deposit: Deposit): boolean {
  if (deposit.credit !== null) return deposit.evidence === 'none';
  if (deposit.evidence !== 'confirmed') return false;
  // An internal deposit is booked too, so it needs one match.
  return deposit.state !== 'internal' || deposit.verifiedAt === null;
}

/**
 * Whether the custody API must be asked now: only its record keeps the feed from a credit or a
 * reversal.
 */
export function isDue({ state, credit, evidence }: Deposit): boolean {
  return credit === null ? state === 'verifying' : evidence === 'none';
}

/** The deposit after a rollback at `at`, Unix milliseconds: what is bound to the epoch is cleared. */
export function rolledBack(deposit: Deposit, at: number): Deposit {
  return {
    ...deposit,
    epoch: deposit.epoch + 1,
    evidence: 'none',
    confirmations: 0,
    custodyConfirmations: 0,
    ...UNVERIFIED,
    approvals: [],
    updatedAt: at,
  };
}
