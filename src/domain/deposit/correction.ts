import { ZERO, type Amount } from '../amount.ts';
import { breakKey, type Finding } from '../break.ts';
import {
  custodyReceived,
  inGrace,
  isNamedByWebhooksAlone,
  samePosition,
  type Outcome,
} from '../compare.ts';
import { pinsOf, sameContent } from '../content.ts';
import type { CustodyTransaction } from '../custody.ts';
import { incomingOf } from '../decide-backfill.ts';
import { entryHead, reversalFor } from '../decide-incoming.ts';
import type { Deposit } from '../deposit.ts';
import {
  changes,
  isOwnHash,
  sightingIn,
  type Changes,
  type Circumstances,
  type Dossier,
} from '../dossier.ts';
import { entryOf } from '../entry.ts';
import type { IncomingNotification } from '../notification.ts';
import { newDeposit, receivedIn, type Received } from '../received-deposit.ts';
import { depositFinding, settle } from '../settlement.ts';
import { correctedAs, newSighting, sightingKeyOf } from '../sighting.ts';

/** What a correction is decided on. */
export interface Correcting {
  /** Everything known about the deposit's hash. */
  readonly dossier: Dossier;
  /** Since when a difference is on record, Unix milliseconds; undefined where it is not. */
  readonly openSince: (key: string) => number | undefined;
}

interface Context {
  readonly outcome: Outcome;
  readonly graceMs: number;
  readonly now: Circumstances;
  readonly correcting: Correcting;
}

/** A deposit before and after the record, and what the record says was received of its asset. */
interface Corrected {
  readonly before: Deposit;
  readonly after: Deposit;
  readonly received: Received | undefined;
}

/**
 * Whether a record that contradicts a deposit has the last word: a confirmed one of its hash and
 * position, whose difference has been on record for the grace. A record on its way may be behind.
 */
function hasLastWord(deposit: Deposit, record: CustodyTransaction, context: Context): boolean {
  const { outcome, graceMs, now, correcting } = context;
  if (outcome.kind !== 'break' || record.status !== 'confirmed') return false;
  if (record.changes === null || deposit.evidence !== 'confirmed') return false;
  if (!samePosition(deposit, record)) return false;
  const { transactionId } = deposit;
  if (transactionId !== null && transactionId !== record.transactionId) {
    if (!isNamedByWebhooksAlone(deposit)) return false;
    if (custodyReceived(deposit, record.changes) === undefined) return false;
  }
  const since = correcting.openSince(outcome.finding.key);
  return since !== undefined && !inGrace(since, { at: now.at, graceMs });
}

/** A deposit as the record tells it. What was bound to another amount is gone. */
function asRecorded(
  before: Deposit,
  record: CustodyTransaction,
  { notification, now }: { notification: IncomingNotification; now: Circumstances },
): Corrected {
  const received = custodyReceived(before, record.changes ?? []);
  const amount = received?.amount ?? ZERO;
  const isRestated = amount !== before.amount;
  const after: Deposit = {
    ...before,
    transactionId: record.transactionId,
    amount,
    evidence: 'confirmed',
    confirmations: notification.confirmations ?? before.confirmations,
    change: received?.change ?? before.change,
    unattributed:
      received === undefined ? before.unattributed : record.memo !== null && !received.attributed,
    decimalsChanged: hasOtherDecimals(before, received, { isRestated, now }),
    approvals: isRestated ? [] : before.approvals,
    verifiedAt: received === undefined ? null : now.at,
    custodyConfirmations: received === undefined ? 0 : (record.confirmations ?? 0),
    updatedAt: now.at,
  };
  return { before, after, received };
}

/** A person's release stands as long as the amount does. */
function hasOtherDecimals(
  before: Deposit,
  received: Received | undefined,
  { isRestated, now }: { isRestated: boolean; now: Circumstances },
): boolean {
  const decimals = received?.decimals ?? null;
  const pinned = now.pinnedDecimals(before.asset);
  if (decimals === null || pinned === undefined) return before.decimalsChanged;
  return decimals !== pinned && (before.decimalsChanged || isRestated);
}

/** The deposits at the record's position, with those of assets that no notification told. */
function depositsAt(
  deposit: Deposit,
  record: CustodyTransaction,
  context: Context & { notification: IncomingNotification },
): Deposit[] {
  const { correcting, notification, now } = context;
  const { dossier } = correcting;
  const { accountId, addressId } = deposit;
  const here = (record.changes ?? []).filter(
    (change) => change.accountId === accountId && change.addressId === addressId,
  );
  const received = receivedIn(here);
  const known = dossier.deposits
    .filter((one) => samePosition(one, record))
    .map((one) => (one.depositId === deposit.depositId ? deposit : one));
  const untold = received
    .filter(({ asset }) => !known.some((one) => one.asset === asset))
    .map((one) => ({
      ...newDeposit(one, { notification, epoch: deposit.epoch, now }),
      amount: ZERO,
      ownTransfer: isOwnHash(dossier),
    }));
  // One that left the chain, and that the record does not show either, stays as it is.
  const standing = known.filter(
    ({ evidence, asset }) =>
      evidence === 'confirmed' || received.some((one) => one.asset === asset),
  );
  return [...standing, ...untold];
}

/** What was credited with another amount is reversed by a rollback alone, and never restated. */
function isCreditedOtherwise({ before, after }: Corrected): boolean {
  return before.credit !== null && before.credit.amount !== after.amount;
}

/** A break of its own, which no later agreement heals: somebody has to ask who told otherwise. */
function correctionFinding({ before, after, received }: Corrected): Finding[] {
  const follows = 'follows the custody API now: find out who sent the notifications';
  const { asset, transactionId, depositId } = before;
  // Nothing was received of it: that is another difference, whose break stays open.
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

/** Differences that are over with the correction. */
function healedBy({ before, received }: Corrected, record: CustodyTransaction): Changes['healed'] {
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
 * The custody API's record puts right what webhooks alone told of a position: amounts, assets and
 * the transaction's id. The books follow with entries marked `api`, and a break says so. Null where
 * the record has not the last word, or changes nothing. A correction verifies what it states: the
 * deposit is then judged like any other, and no webhook of this epoch states it otherwise.
 */
export function correctedBy(
  deposit: Deposit,
  record: CustodyTransaction | null,
  context: Context,
): (Changes & { readonly outcome: Outcome }) | null {
  if (record === null || !hasLastWord(deposit, record, context)) return null;
  const notification = incomingOf(record, 'confirmation');
  if (notification === null) return null;
  const { now, correcting } = context;
  const list = record.changes ?? [];
  const corrected = depositsAt(deposit, record, { ...context, notification }).map((one) =>
    asRecorded(one, record, { notification, now }),
  );
  if (corrected.some(isCreditedOtherwise)) return null;
  const key = sightingKeyOf(notification);
  const sighting = sightingIn(correcting.dossier, key) ?? newSighting(key);
  const isPosted = sameContent(sighting.posted, list);
  const found = corrected.flatMap(correctionFinding);
  if (isPosted && found.length === 0) return null;
  const reversal = isPosted ? [] : reversalFor(sighting, notification, now);
  const entries = isPosted ? [] : [...reversal, entryOf(entryHead(notification, now), list)];
  const entryId = entries.at(-1)?.entryId ?? sighting.entryId;
  const settled = corrected.map(({ after }) => settle(after, now));
  const [first] = found;
  return {
    ...changes({
      sightings: [correctedAs(sighting, notification, { entryId, posted: list })],
      entries,
      deposits: settled.map((part) => part.deposit),
      items: settled.flatMap((part) => part.items),
      found: [...found, ...settled.flatMap((part) => part.found)],
      healed: [
        ...corrected.flatMap((one) => healedBy(one, record)),
        ...settled.flatMap((part) => part.healed),
      ],
      pinned: pinsOf(list, now),
    }),
    outcome: first === undefined ? context.outcome : { kind: 'break', finding: first },
  };
}
