import { ZERO, type Amount } from '../../money/amount.ts';
import { breakKey, type Finding } from '../../break/break.ts';
import {
  custodyReceived,
  hasLasted,
  isNamedOtherwise,
  receivedAt,
  samePosition,
  type OpenSince,
  type Outcome,
} from './comparison.ts';
import { firstDifference, pinsOf, sameContent, sameSums } from '../../hash/same-changes.ts';
import type { CustodyTransaction } from '../../fact/custody-record.ts';
import { incomingOf } from '../../fact/backfill.ts';
import { entryHead, reversalFor } from '../incoming-handler.ts';
import { earliestOf, isNamedByWebhooksAlone, type Deposit } from '../deposit.ts';
import {
  changeSet,
  isOwnHash,
  sightingIn,
  type ChangeSet,
  type RuleContext,
  type HashState,
} from '../../hash/hash-state.ts';
import { entryOf } from '../../money/entry.ts';
import {
  isBeside,
  type BalanceChange,
  type IncomingNotification,
} from '../../fact/notification.ts';
import { addressesAfter } from './on-chain-address.ts';
import { isUnattributed, newDeposit, type Received } from '../received.ts';
import { showsOtherDecimals } from '../decimals.ts';
import { depositFinding, evaluate } from '../evaluation.ts';
import { correctedAs, newSighting, sightingKeyOf, type Sighting } from '../../hash/sighting.ts';

/** What a correction reads. */
export interface Correcting {
  /** The state of the deposit's hash. */
  readonly hashState: HashState;
  readonly openSince: OpenSince;
}

interface Context {
  readonly outcome: Outcome;
  readonly graceMs: number;
  readonly now: RuleContext;
  readonly correcting: Correcting;
  /** When the record matched, Unix milliseconds; null: its match never gets too old for a credit. */
  readonly matchedAt: number | null;
}

/** A record, its balance changes, and the notification that it corresponds to. */
interface Recorded {
  readonly record: CustodyTransaction;
  readonly list: readonly BalanceChange[];
  readonly notification: IncomingNotification;
}

/** A deposit before and after a correction, and what the record received of its asset. */
interface Corrected {
  readonly before: Deposit;
  readonly after: Deposit;
  readonly received: Received | undefined;
}

/**
 * Whether a contradicting record may correct the deposit: it is confirmed, has the same hash and
 * position, and the break has been open for the grace period. A younger record may be behind.
 */
function correctsDeposit(
  deposit: Deposit,
  { record, list }: Pick<Recorded, 'record' | 'list'>,
  context: Context,
): boolean {
  const { outcome, graceMs, now, correcting } = context;
  if (outcome.kind !== 'break' || record.status !== 'confirmed') return false;
  if (deposit.evidence !== 'confirmed' || !samePosition(deposit, record)) return false;
  if (isNamedOtherwise(deposit, record)) {
    if (!isNamedByWebhooksAlone(deposit)) return false;
    if (custodyReceived(deposit, list) === undefined) return false;
  }
  return hasLasted(outcome.finding, correcting.openSince, { at: now.at, graceMs });
}

/**
 * How the books hold a matching deposit otherwise than the record does; null when they hold it alike.
 * No other comparison books the difference.
 *
 * | answer | is |
 * |---|---|
 * | `elsewhere` | its entries named another account or address, or attributed its memo otherwise |
 * | `split` | it has other fee, rebate or mint entries, whose sums are zero: no movement differs |
 * | `in_part` | the record shows another asset there, which no confirmation reported |
 */
function bookedOtherwise(
  deposit: Deposit,
  sighting: Sighting,
  { record, list, context }: Recorded & { context: Context },
): 'elsewhere' | 'split' | 'in_part' | null {
  const { entryId, posted } = sighting;
  const { outcome, correcting } = context;
  if (outcome.kind !== 'matched' || record.status !== 'confirmed' || entryId === null) return null;
  // Most records return here.
  if (sameContent(posted, list)) return null;
  const booked = correcting.hashState.deposits.filter(
    (one) => one.evidence === 'confirmed' && samePosition(one, record),
  );
  const isInPart = receivedAt(deposit, list).some(
    ({ asset }) => !booked.some((one) => one.asset === asset),
  );
  if (isInPart) return 'in_part';
  if (sameSums(posted, list, 'kind')) {
    return sameSums(posted, list, 'position') ? null : 'elsewhere';
  }
  return isSplitOtherwise(posted, list) ? 'split' : null;
}

/** Whether lists with equal transfers and equal sums differ in their other entries. */
function isSplitOtherwise(
  posted: readonly BalanceChange[],
  list: readonly BalanceChange[],
): boolean {
  if (sameSums(posted.filter(isBeside), list.filter(isBeside), 'kind')) return false;
  const transfers = (changes: readonly BalanceChange[]) => changes.filter((one) => !isBeside(one));
  return (
    firstDifference(list, posted) === undefined &&
    firstDifference(transfers(list), transfers(posted)) === undefined
  );
}

/** The deposit with the record's values. Approvals of another amount are removed. */
function asRecorded(
  before: Deposit,
  { record, list, notification }: Recorded,
  context: Pick<Context, 'now' | 'matchedAt' | 'correcting'>,
): Corrected {
  const { now, matchedAt } = context;
  const received = custodyReceived(before, list);
  const amount = received?.amount ?? ZERO;
  const amountChanges = amount !== before.amount;
  const after: Deposit = {
    ...before,
    ...(received === undefined ? {} : addressesAfter(before, record)),
    transactionId: record.transactionId,
    amount,
    evidence: 'confirmed',
    confirmations: notification.confirmations ?? before.confirmations,
    change: received?.change ?? before.change,
    unattributed: isUnattributed(before, received),
    decimalsChanged: hasOtherDecimals(before, received, { amountChanges, ...context }),
    approvals: amountChanges ? [] : before.approvals,
    verifiedAt: received === undefined ? null : now.at,
    matchedAt: received === undefined ? null : matchedAt,
    custodyConfirmations: received === undefined ? 0 : (record.confirmations ?? 0),
    custodyCreatedAt: earliestOf(before.custodyCreatedAt, record.createdAt),
    updatedAt: now.at,
  };
  return { before, after, received };
}

/** A person's release stays valid while the amount does not change. */
function hasOtherDecimals(
  before: Deposit,
  received: Received | undefined,
  context: Pick<Context, 'now' | 'correcting'> & { amountChanges: boolean },
): boolean {
  const { amountChanges, now, correcting } = context;
  const decimals = received?.decimals ?? null;
  const pinned = now.pinnedDecimals(before.asset);
  if (decimals === null || pinned === undefined) return before.decimalsChanged;
  if (decimals === pinned) return false;
  const { hashState } = correcting;
  return (
    before.decimalsChanged ||
    amountChanges ||
    showsOtherDecimals(before, received, { hashState, now })
  );
}

/** The deposits at the record's position, plus new ones for assets without a notification. */
function depositsAt(
  deposit: Deposit,
  { record, list, notification }: Recorded,
  { correcting: { hashState }, now }: Context,
): Deposit[] {
  const received = receivedAt(deposit, list);
  const known = hashState.deposits.filter((one) => samePosition(one, record));
  const added = received
    .filter(({ asset }) => !known.some((one) => one.asset === asset))
    .map((one) => ({
      ...newDeposit(one, { notification, epoch: deposit.epoch, now }),
      amount: ZERO,
      ownTransfer: isOwnHash(hashState),
    }));
  // A rolled-back deposit that the record does not show either stays unchanged.
  const onChain = known.filter(
    ({ evidence, asset }) =>
      evidence === 'confirmed' || received.some((one) => one.asset === asset),
  );
  return [...onChain, ...added];
}

/**
 * Whether the deposit was credited with another amount. Only a rollback reverses a credit; a
 * correction never changes it.
 */
function isCreditedOtherwise({ before, after }: Corrected): boolean {
  return before.credit !== null && before.credit.amount !== after.amount;
}

/** The correction's own break. No later match resolves it: a person must find the sender. */
function correctionFinding({ before, after, received }: Corrected): Finding[] {
  const follows = 'follows the custody API now: find out who sent the notifications';
  const { asset, transactionId, depositId } = before;
  // The record shows none of the asset: that break stays open.
  if (received === undefined) return [];
  const key = (type: Finding['type']): string => breakKey(type, depositId, 'corrected');
  if (before.amount !== after.amount) {
    const detail = `the custody API says ${after.amount} ${asset}, the notifications said ${before.amount}; the deposit ${follows}`;
    const figures: { expected: Amount; actual: Amount } = {
      expected: after.amount,
      actual: before.amount,
    };
    const type = 'amount_mismatch';
    return [{ ...depositFinding(type, after, { ...figures, detail }), key: key(type) }];
  }
  if (transactionId === null || transactionId === after.transactionId) return [];
  const detail = `the custody API knows the transaction as ${after.transactionId}, the notifications named it ${transactionId}; the deposit ${follows}`;
  const type = 'unknown_to_custody';
  return [{ ...depositFinding(type, after, { detail }), key: key(type) }];
}

/**
 * The break when notifications booked the deposit at another account or address. Another
 * attribution of the memo needs none: a memo may have been registered since.
 */
function elsewhereFinding(deposit: Deposit, sighting: Sighting, { list }: Recorded): Finding[] {
  if (sameSums(sighting.posted, list, 'address')) return [];
  const type = 'unknown_to_custody';
  const detail = `the custody API shows ${deposit.amount} ${deposit.asset} at this position, the notifications booked it at another account or address; the books follow the custody API now: find out who sent the notifications`;
  const key = breakKey(type, deposit.depositId, 'corrected');
  return [{ ...depositFinding(type, deposit, { detail }), key }];
}

/** The break when notifications booked other fee, rebate or mint entries. */
function splitFinding(deposit: Deposit): Finding {
  const type = 'amount_mismatch';
  const detail = `the custody API shows other fee, rebate or mint entries beside ${deposit.amount} ${deposit.asset} than the notifications; the books follow the custody API now: find out who sent the notifications`;
  return {
    ...depositFinding(type, deposit, { detail }),
    key: breakKey(type, deposit.depositId, 'corrected'),
  };
}

/** Breaks that the correction resolves. */
function healedBy(
  { before, received }: Corrected,
  record: CustodyTransaction,
): ChangeSet['healed'] {
  if (received === undefined) return [];
  const { depositId, transactionId } = before;
  const keys = [
    breakKey('unknown_to_custody', depositId),
    breakKey('amount_mismatch', depositId),
    breakKey('status_mismatch', depositId),
    breakKey('amount_changed', depositId),
    breakKey('missing_notification', record.transactionId),
    ...(transactionId === null ? [] : [breakKey('missing_notification', transactionId)]),
  ];
  return keys.map((key) => ({ key, reason: 'corrected by the custody API’s record' }));
}

/**
 * Corrects a position that webhooks alone described: amounts, assets, the transaction id, and where
 * the books hold it. The books follow with entries marked `api`, and a break reports it. Null when
 * the record may not correct, or changes nothing. A correction also verifies the deposit: it is then
 * evaluated like any other, and no webhook of this epoch changes its amount.
 */
export function correctedBy(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: Context,
): (ChangeSet & { readonly outcome: Outcome }) | null {
  if (record === null) return null;
  const { now, correcting } = context;
  const list = record.changes ?? [];
  const { blockchainHash } = deposit;
  const notification = incomingOf({ ...record, blockchainHash }, 'confirmation');
  const recorded: Recorded = { record, list, notification };
  const key = sightingKeyOf(notification);
  const sighting = sightingIn(correcting.hashState, key) ?? newSighting(key);
  const otherwise = bookedOtherwise(deposit, sighting, { ...recorded, context });
  if (otherwise === null && !correctsDeposit(deposit, recorded, context)) return null;
  const corrected = depositsAt(deposit, recorded, context).map((one) =>
    asRecorded(one, recorded, context),
  );
  if (corrected.some(isCreditedOtherwise)) return null;
  const isPosted = sameContent(sighting.posted, list);
  const found = [
    ...corrected.flatMap(correctionFinding),
    ...(otherwise === 'elsewhere' ? elsewhereFinding(deposit, sighting, recorded) : []),
    ...(otherwise === 'split' ? [splitFinding(deposit)] : []),
  ];
  if (isPosted && found.length === 0) return null;
  const entries = isPosted
    ? []
    : [...reversalFor(sighting, notification, now), entryOf(entryHead(notification, now), list)];
  const entryId = entries.at(-1)?.entryId ?? sighting.entryId;
  const evaluated = corrected.map(({ after }) => evaluate(after, now));
  const [first] = found;
  return {
    ...changeSet({
      sightings: [correctedAs(sighting, notification, { entryId, posted: list })],
      entries,
      deposits: evaluated.map((part) => part.deposit),
      items: evaluated.flatMap((part) => part.items),
      found: [...found, ...evaluated.flatMap((part) => part.found)],
      healed: [
        ...corrected.flatMap((one) => healedBy(one, record)),
        ...evaluated.flatMap((part) => part.healed),
      ],
      pinned: pinsOf(list, now),
    }),
    outcome: first === undefined ? context.outcome : { kind: 'break', finding: first },
  };
}
