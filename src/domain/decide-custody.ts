import { breakKey, finding, type Break, type BreakType, type Finding } from './break.ts';
import {
  compareDeposit,
  compareMovement,
  compareUnseen,
  compareWithdrawal,
  custodyReceived,
  samePlace,
  type Outcome,
} from './compare.ts';
import type { CustodyTransaction, RunCounts } from './custody.ts';
import type { Deposit } from './deposit.ts';
import { changes, isOwnHash, type Changes, type Circumstances, type Dossier } from './dossier.ts';
import { claimDeposits } from './decide-outgoing.ts';
import type { CreditingPolicy } from './crediting.ts';
import { depthDrift, type PublishedDepths } from './depth.ts';
import { receivedIn } from './decide-incoming.ts';
import type { NetworkKey, VaultId } from './ids.ts';
import type { Movement } from './movement.ts';
import { reverseCredit, settle, type Settled } from './settlement.ts';
import { newSighting, standsFor, type Sighting } from './sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

type Healed = Changes['healed'];

function foundIn(outcome: Outcome): Finding[] {
  return outcome.kind === 'break' ? [outcome.finding] : [];
}

/** A match takes away every difference that the same comparison could have opened. */
function healedBy(outcome: Outcome, types: readonly BreakType[], subject: string): Healed {
  const open = outcome.kind === 'break' ? outcome.finding.type : null;
  if (outcome.kind === 'skipped') return [];
  return types
    .filter((type) => type !== open)
    .map((type) => ({ key: breakKey(type, subject), reason: 'the custody API agrees now' }));
}

const DEPOSIT_BREAKS = ['unknown_to_custody', 'amount_mismatch', 'status_mismatch'] as const;
const TRANSACTION_BREAKS = ['missing_notification', 'status_mismatch', 'amount_mismatch'] as const;

/**
 * What the custody API's record of a deposit does: verification, and with it the credit when all
 * gates are open; the feed's reversal when the API agrees that a credited deposit is gone; or a
 * break.
 */
export function decideDepositRecord(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: { graceMs: number; now: Circumstances },
): Changes & { readonly outcome: Outcome } {
  const { graceMs, now } = context;
  const outcome = compareDeposit(deposit, record, { at: now.at, graceMs });
  const healed = [
    ...healedBy(outcome, DEPOSIT_BREAKS, deposit.depositId),
    ...(deposit.transactionId === null
      ? []
      : healedBy(outcome, ['missing_notification'], deposit.transactionId)),
    ...standsAgain(deposit, outcome),
    ...settledAmount(deposit, outcome),
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
      // Webhooks are unsigned: what the API tags as change is change, whatever they said.
      change: deposit.change || (received?.change ?? false),
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

function learned(record: CustodyTransaction, at: number): Withdrawal {
  const { transactionId, vaultId, orderId, network, blockchainHash } = record;
  const { accountId, addressId, destinationAddress, memo } = record;
  return {
    transactionId,
    vaultId,
    orderId,
    network,
    blockchainHash,
    accountId,
    addressId,
    destinationAddress,
    memo,
    status: null,
    reasonCode: null,
    entryId: null,
    posted: [],
    firstSeenAt: at,
    updatedAt: at,
  };
}

/** An own hash that only the API has told of yet is remembered as one, by a sighting of its stream. */
function newOwnHash(dossier: Dossier, record: CustodyTransaction): Sighting[] {
  const { network, blockchainHash, vaultId, accountId, addressId, memo } = record;
  if (blockchainHash === null || isOwnHash(dossier)) return [];
  const stream = 'outgoing';
  return [newSighting({ network, blockchainHash, vaultId, stream, accountId, addressId, memo })];
}

/**
 * What the custody API's record of an outgoing transaction does: its hash marks deposits as own
 * transfers even when no notification told of it, and statuses are compared. Books move only by
 * notifications (or a backfill), never by this record alone.
 */
export function decideOutgoingRecord(
  dossier: Dossier,
  known: Withdrawal | undefined,
  context: { record: CustodyTransaction; graceMs: number; now: Circumstances },
): Changes & { readonly outcome: Outcome } {
  const { record, graceMs, now } = context;
  const outcome = compareWithdrawal(known, record, { at: now.at, graceMs });
  const claimed =
    record.blockchainHash === null
      ? { settled: [], found: [] }
      : claimDeposits(dossier.deposits, record.transactionId, now);
  return {
    ...changes({
      sightings: newOwnHash(dossier, record),
      withdrawals: known === undefined ? [learned(record, now.at)] : [],
      deposits: claimed.settled.map((part) => part.deposit),
      items: claimed.settled.flatMap((part) => part.items),
      found: [
        ...foundIn(outcome),
        ...claimed.found,
        ...claimed.settled.flatMap((part) => part.found),
      ],
      healed: [
        ...healedBy(outcome, TRANSACTION_BREAKS, record.transactionId),
        ...(outcome.kind === 'matched' && known?.status === 'mined'
          ? healedBy(outcome, ['amount_changed'], record.transactionId)
          : []),
        ...claimed.settled.flatMap((part) => part.healed),
      ],
    }),
    outcome,
  };
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
    dossier.deposits.some(
      (deposit) =>
        deposit.vaultId === record.vaultId &&
        (deposit.transactionId === null
          ? samePlace(deposit, record)
          : deposit.transactionId === record.transactionId),
    ) || isBookedWithoutDeposit(dossier, record);
  const outcome: Outcome = answered
    ? { kind: 'matched' }
    : compareUnseen(record, { at: now.at, graceMs });
  const healed =
    outcome.kind === 'matched'
      ? healedBy(outcome, ['missing_notification'], record.transactionId)
      : [];
  return { ...changes({ found: foundIn(outcome), healed }), outcome };
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
 * The local half of a run: every movement on which books and chain view differ, and every open
 * break of that kind whose movement agrees by now.
 */
export function decideRun(
  differing: readonly Movement[],
  context: {
    open: readonly { found: Break; movement: Movement | undefined }[];
    /** Open `missing_notification` breaks whose notification has arrived by now. */
    arrived: readonly Break[];
    at: number;
    graceMs: number;
  },
): Changes & { readonly local: Pick<RunCounts, 'broken' | 'skipped'> } {
  const grace = { at: context.at, graceMs: context.graceMs };
  const outcomes = differing.map((movement) => compareMovement(movement, grace));
  const found = outcomes.flatMap(foundIn);
  const healed = context.open.flatMap(({ found: known, movement }) => {
    const outcome =
      movement === undefined ? { kind: 'matched' as const } : compareMovement(movement, grace);
    const same = outcome.kind === 'break' && outcome.finding.key === known.key;
    return same || outcome.kind === 'skipped'
      ? []
      : [{ key: known.key, reason: 'books and chain view agree now' }];
  });
  const arrived = context.arrived.map(({ key }) => ({ key, reason: 'the notification arrived' }));
  const inGrace = outcomes.filter((outcome) => outcome.kind === 'skipped').length;
  return {
    ...changes({ found, healed: [...healed, ...arrived] }),
    local: { broken: found.length, skipped: inGrace === 0 ? {} : { in_grace: inGrace } },
  };
}
