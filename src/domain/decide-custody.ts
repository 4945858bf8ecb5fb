import { breakKey, finding, LOCAL_BREAKS, type Finding } from './break.ts';
import {
  answersTo,
  compareDeposit,
  compareMovement,
  compareUnseen,
  custodyReceived,
  foundIn,
  healedBy,
  MATCHED,
  samePosition,
  movementBreakKey,
  type Grace,
  type Outcome,
} from './compare.ts';
import type { CustodySum, CustodyTransaction } from './custody.ts';
import type { Deposit } from './deposit.ts';
import { changes, type Changes, type Circumstances, type Dossier } from './dossier.ts';
import type { CreditingPolicy } from './crediting.ts';
import { depthDrift, type PublishedDepths } from './depth.ts';
import { healedBeside } from './deposit/beside.ts';
import { correctedBy, type Correcting } from './deposit/correction.ts';
import { receivedIn } from './received-deposit.ts';
import type { NetworkKey, VaultId } from './ids.ts';
import { toldByCustody, type Movement } from './movement.ts';
import { reverseCredit, settle, type Settled } from './settlement.ts';
import { standsFor } from './sighting.ts';

type Healed = Changes['healed'];

const DEPOSIT_BREAKS = ['unknown_to_custody', 'amount_mismatch', 'status_mismatch'] as const;

/**
 * What the custody API's record of a deposit does: verification, and with it the credit when all
 * gates are open; the feed's reversal when the API agrees that a credited deposit is gone; a
 * correction of what webhooks alone told; or a break. `correcting`: absent where the record only
 * reports.
 */
export function decideDepositRecord(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: { graceMs: number; now: Circumstances; correcting?: Correcting | undefined },
): Changes & { readonly outcome: Outcome } {
  const { graceMs, now, correcting } = context;
  const outcome = compareDeposit(deposit, record, { at: now.at, graceMs });
  // A correction has given it another id since the record was asked for.
  if (correcting && record !== null && isAboutAnother(deposit, record)) {
    return { ...changes({}), outcome };
  }
  const corrected =
    correcting && correctedBy(deposit, record, { outcome, graceMs, now, correcting });
  if (corrected) {
    const beside = healedBeside(deposit, record, { outcome: MATCHED, ...correcting });
    return { ...corrected, healed: [...corrected.healed, ...beside] };
  }
  // That a credited one is our own transfer is no difference with its record: a match ends it not.
  const isGivenAway = deposit.credit !== null && deposit.ownTransfer;
  const types = DEPOSIT_BREAKS.filter((type) => !isGivenAway || type !== 'status_mismatch');
  const healed = [
    ...healedBy(outcome, types, deposit.depositId),
    ...(deposit.transactionId === null
      ? []
      : healedBy(outcome, ['missing_notification'], deposit.transactionId)),
    ...standsAgain(deposit, outcome),
    ...settledAmount(deposit, outcome),
    ...(correcting ? healedBeside(deposit, record, { outcome, ...correcting }) : []),
  ];
  const after = afterRecord(deposit, record, { outcome, now });
  const moved = after !== null && !sayTheSame(deposit, after.deposit);
  return {
    ...changes({
      deposits: moved ? [after.deposit] : [],
      items: after?.items ?? [],
      found: [...foundIn(outcome), ...(after?.found ?? [])],
      healed: [...healed, ...(after?.healed ?? [])],
    }),
    outcome,
  };
}

/** Whether a record has neither the id nor the position of a deposit. */
function isAboutAnother(deposit: Deposit, record: CustodyTransaction): boolean {
  const { transactionId } = deposit;
  const isNamed = transactionId === null || transactionId === record.transactionId;
  return !isNamed && !samePosition(deposit, record);
}

/** A credited deposit that was rolled back, mined again and confirmed: its credit was right all along. */
function standsAgain(deposit: Deposit, outcome: Outcome): Healed {
  if (outcome.kind !== 'matched' || deposit.credit === null || deposit.evidence !== 'confirmed') {
    return [];
  }
  const key = breakKey('reversal_after_credit', deposit.depositId);
  return [{ key, reason: 'mined again, and the custody API confirms it: the credit stands' }];
}

/** Notifications said different amounts; the API confirms the one that stands, and no other was credited. */
function settledAmount(deposit: Deposit, outcome: Outcome): Healed {
  const { credit, amount, evidence } = deposit;
  if (outcome.kind !== 'matched' || evidence !== 'confirmed') return [];
  if (credit !== null && credit.amount !== amount) return [];
  const key = breakKey('amount_changed', deposit.depositId);
  return [{ key, reason: 'the custody API confirms the amount that stands' }];
}

/** The deposit after a record of it, or null when the record says nothing for it or against it. */
function afterRecord(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: { outcome: Outcome; now: Circumstances },
): Settled | null {
  const { outcome, now } = context;
  if (outcome.kind !== 'matched' || record === null) {
    const pending = outcome.kind === 'skipped' && outcome.cause === 'balance_changes_pending';
    if (pending || deposit.credit !== null || deposit.verifiedAt === null) return null;
    // It matched before and does not now: a later approval must not credit it on the old word.
    return settle(
      { ...deposit, verifiedAt: null, custodyConfirmations: 0, updatedAt: now.at },
      now,
    );
  }
  if (deposit.evidence === 'none') return reverseCredit(deposit, now);
  // Both know it from the mempool alone: they agree, and nothing is verified by it.
  if (deposit.evidence === 'mempool') return null;
  const received = custodyReceived(deposit, record.changes ?? []);
  return settle(
    {
      ...deposit,
      transactionId: record.transactionId,
      // Webhooks are unsigned: what the API tags as change is change, and nothing else.
      change: received?.change ?? deposit.change,
      verifiedAt: deposit.verifiedAt ?? now.at,
      custodyConfirmations: Math.max(deposit.custodyConfirmations, record.confirmations ?? 0),
      updatedAt: now.at,
    },
    now,
  );
}

/** Whether nothing but the time of the last change differs; such evidence is not worth a fact. */
function sayTheSame(before: Deposit, after: Deposit): boolean {
  const keys = Object.keys(after) as (keyof Deposit)[];
  return keys.every((key) => key === 'updatedAt' || before[key] === after[key]);
}

/** An incoming of fee, rebate and mint entries alone leaves no deposit, but an entry in the books. */
function isBookedWithoutDeposit(dossier: Dossier, record: CustodyTransaction): boolean {
  if (receivedIn(record.changes ?? []).length > 0) return false;
  return dossier.sightings.some(
    (sighting) =>
      sighting.stream === 'incoming' &&
      sighting.vaultId === record.vaultId &&
      standsFor(sighting, record.transactionId),
  );
}

/** An incoming transaction that no deposit answers to; silent when one has turned up meanwhile. */
export function decideUnseenRecord(
  dossier: Dossier,
  context: { record: CustodyTransaction; graceMs: number; now: Circumstances },
): Changes & { readonly outcome: Outcome } {
  const { record, graceMs, now } = context;
  const answered =
    dossier.deposits.some((deposit) => answersTo(deposit, record)) ||
    isBookedWithoutDeposit(dossier, record);
  const outcome: Outcome = answered
    ? { kind: 'matched' }
    : compareUnseen(record, { at: now.at, graceMs });
  const healed = healedBy(outcome, ['missing_notification'], record.transactionId);
  return { ...changes({ found: foundIn(outcome), healed }), outcome };
}

/**
 * What the custody API says that a hash moved on a vault, over all its transactions there: settles
 * movements on which no chain view tells. A difference is reported by the run, past its grace.
 */
export function settleMovements(
  movements: readonly Movement[],
  told: { sums: readonly CustodySum[]; whole: boolean },
): Movement[] {
  const sums = new Map(told.sums.map(({ asset, amount }) => [asset, amount]));
  return movements.flatMap((movement) => {
    const sum = sums.get(movement.asset);
    if (sum === undefined) return [];
    return toldByCustody(movement, { sum, whole: told.whole }) ?? [];
  });
}

/** A vault whose subscription differs from what we want may be losing notifications now. */
export function decideSubscriptionRecord(vaultId: VaultId, drift: string | null): Changes {
  const key = breakKey('subscription_drift', vaultId);
  if (drift === null)
    return changes({ healed: [{ key, reason: 'the subscription is as wanted' }] });
  const detail = `${drift}: mend it with \`counterfoil subscribe\``;
  return changes({ found: [finding('subscription_drift', { key, subject: { vaultId }, detail })] });
}

/** A depth that the policy wants of a network and that no webhook of it will ever show. */
export function decideDepthsRecord(record: PublishedDepths, policy: CreditingPolicy): Changes {
  const { network } = record;
  const key = depthBreakKey(network);
  const detail = depthDrift(policy, record);
  return detail === null
    ? changes({
        healed: [{ key, reason: 'webhooks can show every depth that the policy wants here' }],
      })
    : changes({ found: [finding('subscription_drift', { key, subject: { network }, detail })] });
}

/** Of the network and no vault: it is the same for every subscription. */
export function depthBreakKey(network: NetworkKey): string {
  return breakKey('subscription_drift', null, network);
}

/**
 * Movements that changed since a run judged them: one whose sides differ past the grace period is a
 * break, one that agrees ends its break. `movements`: the same, judged.
 */
export function judgeMovements(
  due: readonly Movement[],
  grace: Grace,
): Changes & { readonly movements: readonly Movement[] } {
  const found: Finding[] = [];
  const healed: Changes['healed'][number][] = [];
  const movements: Movement[] = [];
  for (const movement of due) {
    const outcome = compareMovement(movement, grace);
    found.push(...foundIn(outcome));
    if (outcome.kind !== 'skipped') healed.push(...otherBreaks(movement, outcome));
    movements.push({ ...movement, judged: judgedAs(movement, outcome) });
  }
  return { ...changes({ found, healed }), movements };
}

function judgedAs(movement: Movement, outcome: Outcome): Movement['judged'] {
  if (outcome.kind === 'matched') return 'never';
  const isTooYoung = outcome.kind === 'skipped' && outcome.cause === 'in_grace';
  return isTooYoung ? movement.judged : 'now';
}

/** The breaks that a movement may have had, but for the one that it is found with. */
function otherBreaks(movement: Movement, outcome: Outcome): Changes['healed'] {
  if (movement.judged === 'never') return [];
  const reason = 'books and chain view agree now';
  return LOCAL_BREAKS.map((type) => ({ key: movementBreakKey(type, movement), reason })).filter(
    ({ key }) => outcome.kind !== 'break' || outcome.finding.key !== key,
  );
}
