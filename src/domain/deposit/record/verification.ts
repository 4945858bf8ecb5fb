import { breakKey, finding, LOCAL_BREAKS, type Finding } from '../../break/break.ts';
import {
  answersTo,
  broken,
  compareDeposit,
  compareMovement,
  custodyReceived,
  foundIn,
  hasLasted,
  healedBy,
  isMisnamed,
  isNamedOtherwise,
  MATCHED,
  samePosition,
  movementBreakKey,
  type Grace,
  type Outcome,
} from './comparison.ts';
import type { CustodySum, CustodyTransaction } from '../../fact/custody-record.ts';
import { earliestOf, UNVERIFIED, type Deposit } from '../deposit.ts';
import {
  changeSet,
  type ChangeSet,
  type RuleContext,
  type HashState,
} from '../../hash/hash-state.ts';
import type { CreditingPolicy } from '../../policy/policy.ts';
import { depthDrift, type PublishedDepths } from '../../policy/published-depth.ts';
import { healedByConfirmedAmount, healedByMiningAgain } from './agreed-amount.ts';
import { asOfDeposit } from './gone-elsewhere.ts';
import { healedBeside } from './joined-break.ts';
import { correctedBy, type Correcting } from './correction.ts';
import { addressesAfter } from './on-chain-address.ts';
import { showsOtherDecimals } from '../decimals.ts';
import { isUnattributed, receivedIn } from '../received.ts';
import type { NetworkKey, VaultId } from '../../ids.ts';
import { withCustodySum, type Movement } from '../../money/movement.ts';
import { compareBooked, compareUnseen } from './unseen-comparison.ts';
import { reverseCredit, evaluate, type Evaluated } from '../evaluation.ts';
import { isPostedFor, type Sighting } from '../../hash/sighting.ts';

type Healed = ChangeSet['healed'];

const UNSEEN_BREAKS = ['missing_notification', 'status_mismatch', 'amount_mismatch'] as const;
const DEPOSIT_BREAKS = ['unknown_to_custody', 'amount_mismatch', 'status_mismatch'] as const;

/**
 * Handles the custody API's record of a deposit: it verifies the deposit, credits it when all gates
 * are open, reverses the credit of a rolled-back deposit, corrects what webhooks alone described,
 * or opens a break. `correcting`: absent when the record only reports. `expires`: absent when its
 * match never gets too old for a credit. `record`: null after a single look-up answered 404.
 * `graceMs`: milliseconds. Deliveries are not signed, so nothing is
 * credited without a record (the specification, section "Webhook destination").
 */
export function handleDepositRecord(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: {
    graceMs: number;
    now: RuleContext;
    correcting?: Correcting | undefined;
    expires?: true | undefined;
  },
): ChangeSet & { readonly outcome: Outcome } {
  const { graceMs, now, correcting, expires } = context;
  const matchedAt = expires === true ? now.at : null;
  const outcome = lastingOutcome(deposit, record, context);
  // A correction changed its id after the record was requested.
  if (correcting && record !== null && isAboutAnother(deposit, record)) {
    return { ...changeSet({}), outcome };
  }
  const corrected =
    correcting && correctedBy(deposit, record, { outcome, graceMs, now, correcting, matchedAt });
  if (corrected) {
    const beside = healedBeside(deposit, record, { outcome: MATCHED, ...correcting });
    return { ...corrected, healed: [...corrected.healed, ...beside] };
  }
  // A match does not resolve the break of a credited own transfer: its record never differed.
  const isGivenAway = deposit.credit !== null && deposit.ownTransfer;
  const types = DEPOSIT_BREAKS.filter((type) => !isGivenAway || type !== 'status_mismatch');
  const healed = [
    ...healedBy(outcome, types, deposit.depositId),
    ...(deposit.transactionId === null
      ? []
      : healedBy(outcome, ['missing_notification'], deposit.transactionId)),
    ...healedByAnotherRow(deposit, outcome),
    ...healedByMiningAgain(deposit, outcome),
    ...healedByConfirmedAmount(deposit, outcome),
    ...(correcting ? healedBeside(deposit, record, { outcome, ...correcting }) : []),
  ];
  const after = afterRecord(deposit, record, { outcome, now, matchedAt, correcting });
  const moved = after !== null && !sayTheSame(deposit, after.deposit);
  return {
    ...changeSet({
      deposits: moved ? [after.deposit] : [],
      items: after?.items ?? [],
      found: [...foundIn(outcome), ...(after?.found ?? [])],
      healed: [...healed, ...(after?.healed ?? [])],
    }),
    outcome,
  };
}

/**
 * The outcome of the comparison. If a row of before the credit shows a rolled-back deposit in the
 * mempool, its break has a key of its own. Once this break has been open for the grace period, the
 * row agrees: a service may give a row no new time when its transaction returns to the mempool.
 */
function lastingOutcome(
  deposit: Deposit,
  record: CustodyTransaction | null,
  { graceMs, now, correcting }: Parameters<typeof handleDepositRecord>[2],
): Outcome {
  const grace = { at: now.at, graceMs };
  const outcome = compareDeposit(deposit, record && asOfDeposit(deposit, record), grace);
  const isGone = record?.status === 'mempool' && deposit.evidence === 'none';
  if (outcome.kind !== 'break' || outcome.finding.type !== 'status_mismatch' || !isGone) {
    return outcome;
  }
  const found = { ...outcome.finding, key: oldMempoolKey(deposit) };
  return correcting && hasLasted(found, correcting.openSince, grace) ? MATCHED : broken(found);
}

function oldMempoolKey({ depositId }: Deposit): string {
  return breakKey('status_mismatch', depositId, 'mempool');
}

/** Resolves the break about an older row in the mempool, unless it is found again. */
function healedByAnotherRow(deposit: Deposit, outcome: Outcome): Healed {
  const key = oldMempoolKey(deposit);
  const isOpen = outcome.kind === 'break' && outcome.finding.key === key;
  if (outcome.kind === 'skipped' || isOpen) return [];
  return [{ key, reason: 'the custody API does not show that row any more' }];
}

/** Whether a record has neither the id nor the position of the deposit. */
function isAboutAnother(deposit: Deposit, record: CustodyTransaction): boolean {
  return isNamedOtherwise(deposit, record) && !samePosition(deposit, record);
}

/** The deposit after its record; null when the record changes nothing. */
function afterRecord(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: Pick<Parameters<typeof handleDepositRecord>[2], 'now' | 'correcting'> & {
    outcome: Outcome;
    matchedAt: number | null;
  },
): Evaluated | null {
  const { outcome, now, matchedAt, correcting } = context;
  if (outcome.kind !== 'matched' || record === null) {
    if (deposit.credit !== null || deposit.verifiedAt === null) return null;
    if (outcome.kind === 'skipped' && outcome.cause === 'balance_changes_pending') {
      return atLowerDepth(deposit, record, now);
    }
    // The verification ends: a later approval must not credit an outdated match.
    return evaluate({ ...deposit, ...UNVERIFIED, custodyConfirmations: 0, updatedAt: now.at }, now);
  }
  if (deposit.evidence === 'none') return reverseCredit(deposit, now);
  // Both know it from the mempool only: they agree, and nothing is verified.
  if (deposit.evidence === 'mempool') return null;
  const received = custodyReceived(deposit, record.changes ?? []);
  const hasOthers =
    correcting !== undefined &&
    showsOtherDecimals(deposit, received, { hashState: correcting.hashState, now });
  return evaluate(
    {
      ...deposit,
      ...addressesAfter(deposit, record),
      decimalsChanged: deposit.decimalsChanged || hasOthers,
      transactionId: record.transactionId,
      // Webhooks are unsigned: only the API decides what is change, and whose memo it is.
      change: received?.change ?? deposit.change,
      unattributed: isUnattributed(deposit, received),
      verifiedAt: deposit.verifiedAt ?? now.at,
      matchedAt,
      // After a reorganisation the record may be less deep than before.
      custodyConfirmations: record.confirmations ?? deposit.custodyConfirmations,
      custodyCreatedAt: earliestOf(deposit.custodyCreatedAt, record.createdAt),
      updatedAt: now.at,
    },
    now,
  );
}

/**
 * The deposit at the depth of a record whose balance changes are omitted: mined again, the record is
 * less deep than the one that verified the deposit. Null when it is as deep.
 */
function atLowerDepth(
  deposit: Deposit,
  record: CustodyTransaction | null,
  now: RuleContext,
): Evaluated | null {
  const depth = record?.confirmations ?? deposit.custodyConfirmations;
  if (depth >= deposit.custodyConfirmations) return null;
  return evaluate({ ...deposit, custodyConfirmations: depth, updatedAt: now.at }, now);
}

/** Whether only the time differs; such evidence is not journalled. The first match counts. */
function sayTheSame(before: Deposit, after: Deposit): boolean {
  const keys = Object.keys(after) as (keyof Deposit)[];
  const isFirst = before.matchedAt === null && after.matchedAt !== null;
  return (
    !isFirst &&
    keys.every((key) => key === 'updatedAt' || key === 'matchedAt' || before[key] === after[key])
  );
}

/** The booked fee, rebate and mint entries of the record, which make no deposit; else undefined. */
function bookedWithoutDeposit(
  hashState: HashState,
  record: CustodyTransaction,
): Sighting | undefined {
  if (receivedIn(record.changes ?? []).length > 0) return undefined;
  return hashState.sightings.find(
    (sighting) =>
      sighting.stream === 'incoming' &&
      sighting.vaultId === record.vaultId &&
      isPostedFor(sighting, record.transactionId),
  );
}

/** Whether the deposit is the record's. A webhook alone may have named its id at another position. */
function hasArrivedAs(deposit: Deposit, record: CustodyTransaction): boolean {
  return answersTo(deposit, record) && !isMisnamed(deposit, record);
}

function unseenOutcome(hashState: HashState, record: CustodyTransaction, grace: Grace): Outcome {
  if (hashState.deposits.some((deposit) => hasArrivedAs(deposit, record))) return MATCHED;
  const booked = bookedWithoutDeposit(hashState, record);
  return booked === undefined
    ? compareUnseen(record, grace)
    : compareBooked(record, booked.posted, grace);
}

/**
 * Handles an incoming API transaction without a deposit; changes nothing when one exists by now.
 * `graceMs`: milliseconds.
 */
export function handleUnseenRecord(
  hashState: HashState,
  context: { record: CustodyTransaction; graceMs: number; now: RuleContext },
): ChangeSet & { readonly outcome: Outcome } {
  const { record, graceMs, now } = context;
  const outcome = unseenOutcome(hashState, record, { at: now.at, graceMs });
  const healed = healedBy(outcome, UNSEEN_BREAKS, record.transactionId);
  return { ...changeSet({ found: foundIn(outcome), healed }), outcome };
}

/**
 * Movements after the custody API gave a hash's sums in a vault, where the chain view is missing.
 * The next run reports a difference past its grace period. Returns only movements that change. Sums
 * are in smallest units.
 */
export function withCustodySums(
  movements: readonly Movement[],
  custody: { sums: readonly CustodySum[]; whole: boolean },
): Movement[] {
  const sums = new Map(custody.sums.map(({ asset, amount }) => [asset, amount]));
  return movements.flatMap((movement) => {
    const sum = sums.get(movement.asset);
    if (sum === undefined) return [];
    return withCustodySum(movement, { sum, whole: custody.whole }) ?? [];
  });
}

/**
 * Handles a vault's subscription check: a wrong subscription may lose notifications. `drift`: the
 * difference in words, null when the subscription is as wanted.
 */
export function handleSubscriptionRecord(vaultId: VaultId, drift: string | null): ChangeSet {
  const key = breakKey('subscription_drift', vaultId);
  if (drift === null)
    return changeSet({ healed: [{ key, reason: 'the subscription is as wanted' }] });
  const detail = `${drift}: mend it with \`counterfoil subscribe\``;
  return changeSet({
    found: [finding('subscription_drift', { key, subject: { vaultId }, detail })],
  });
}

/**
 * Handles a network's published depths (the specification, section "Identifiers and records that
 * appear"): opens a break when no webhook can show a policy depth.
 */
export function handleDepthsRecord(record: PublishedDepths, policy: CreditingPolicy): ChangeSet {
  const { network } = record;
  const key = depthBreakKey(network);
  const detail = depthDrift(policy, record);
  return detail === null
    ? changeSet({
        healed: [{ key, reason: 'webhooks can show every depth that the policy wants here' }],
      })
    : changeSet({ found: [finding('subscription_drift', { key, subject: { network }, detail })] });
}

/** The key of a network's depth break; it is the same for every subscription. */
export function depthBreakKey(network: NetworkKey): string {
  return breakKey('subscription_drift', null, network);
}

/**
 * Compares movements that changed since the last run. A difference past the grace period is a
 * break; agreement resolves it. `movements`: the compared movements. A movement with neither a
 * chain view nor the API's sum is skipped, as is one in its grace period.
 */
export function compareMovements(
  due: readonly Movement[],
  grace: Grace,
): ChangeSet & { readonly movements: readonly Movement[] } {
  const found: Finding[] = [];
  const healed: ChangeSet['healed'][number][] = [];
  const movements: Movement[] = [];
  for (const movement of due) {
    const outcome = compareMovement(movement, grace);
    found.push(...foundIn(outcome));
    if (outcome.kind !== 'skipped') healed.push(...otherBreaks(movement, outcome));
    movements.push({ ...movement, compared: comparedAs(movement, outcome) });
  }
  return { ...changeSet({ found, healed }), movements };
}

function comparedAs(movement: Movement, outcome: Outcome): Movement['compared'] {
  if (outcome.kind === 'matched') return 'never';
  const isTooYoung = outcome.kind === 'skipped' && outcome.cause === 'in_grace';
  return isTooYoung ? movement.compared : 'now';
}

/** The breaks that the movement may have open, except the one just found. */
function otherBreaks(movement: Movement, outcome: Outcome): ChangeSet['healed'] {
  if (movement.compared === 'never') return [];
  const reason = 'books and chain view agree now';
  return LOCAL_BREAKS.map((type) => ({ key: movementBreakKey(type, movement), reason })).filter(
    ({ key }) => outcome.kind !== 'break' || outcome.finding.key !== key,
  );
}
