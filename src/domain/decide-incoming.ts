import { plus, ZERO, type Amount } from './amount.ts';
import { breakKey, finding, type Finding } from './break.ts';
import { rolledBack, type Deposit } from './deposit.ts';
import {
  changes,
  isOwnHash,
  sightingIn,
  type Changes,
  type Circumstances,
  type Dossier,
} from './dossier.ts';
import { pinsOf, sameContent } from './content.ts';
import { entryOf, reversalOf, type Entry, type EntryHead } from './entry.ts';
import type { AssetId } from './ids.ts';
import type { BalanceChange, IncomingNotification } from './notification.ts';
import { countOf, newDeposit, receivedIn, sighted } from './received-deposit.ts';
import { depositFinding, settle, type Settled } from './settlement.ts';
import {
  hasSeenDeeper,
  isCorrected,
  newSighting,
  sightingKeyOf,
  standingAs,
  withEvent,
  type Sighting,
} from './sighting.ts';

/**
 * The deposits that an incoming notification is about, those at its own position and memo, by asset:
 * there may be hundreds.
 */
function depositsAt(dossier: Dossier, notification: IncomingNotification): Map<AssetId, Deposit> {
  const found = new Map<AssetId, Deposit>();
  for (const deposit of dossier.deposits) {
    const isThere =
      deposit.vaultId === notification.vaultId &&
      deposit.accountId === notification.accountId &&
      deposit.addressId === notification.addressId &&
      deposit.memo === notification.memo;
    if (isThere) found.set(deposit.asset, deposit);
  }
  return found;
}

export function entryHead(
  notification: IncomingNotification,
  now: Circumstances,
): EntryHead & { reverses: null } {
  const { vaultId, network, blockchainHash, transactionId } = notification;
  return {
    entryId: now.mint.entry(),
    view: 'books',
    source: now.source,
    cause: 'incoming',
    vaultId,
    network,
    blockchainHash,
    transactionId,
    reverses: null,
  };
}

/** What the books do about a confirmation: post once per epoch, repost when it says otherwise. */
function postingOf(
  sighting: Sighting,
  notification: IncomingNotification,
  now: Circumstances,
): { sighting: Sighting; entries: Entry[]; restated: boolean } {
  const list = notification.changes;
  const count = countOf(notification);
  if (count < 1 || list === null || list.length === 0) {
    return { sighting, entries: [], restated: false };
  }
  const restated = sighting.entryId !== null && !sameContent(sighting.posted, list);
  if (sighting.entryId !== null && !restated) {
    return { sighting: withDecimals(sighting, list), entries: [], restated };
  }
  if (isOutOfDate(sighting, count)) return { sighting, entries: [], restated };
  const taken = reversalFor(sighting, notification, now);
  const entry = entryOf(entryHead(notification, now), list);
  return {
    sighting: standingAs(sighting, { entryId: entry.entryId, posted: list }),
    entries: [...taken, entry],
    restated,
  };
}

/**
 * Whether what stands in the books was told by a deeper confirmation than this one, or by the
 * custody API against what webhooks had told.
 */
function isOutOfDate(sighting: Sighting, count: number): boolean {
  return sighting.entryId !== null && (hasSeenDeeper(sighting, count) || isCorrected(sighting));
}

/** The same postings, told with other decimals: they are kept, so that they are news only once. */
function withDecimals(sighting: Sighting, list: readonly BalanceChange[]): Sighting {
  const { entryId, posted } = sighting;
  const areKnown = list.every(
    ({ decimals }, at) => decimals === null || decimals === posted[at]?.decimals,
  );
  return areKnown ? sighting : standingAs(sighting, { entryId, posted: list });
}

/** The reversal of exactly what this sighting has posted; nothing when nothing stands. */
export function reversalFor(
  sighting: Sighting,
  notification: IncomingNotification,
  now: Circumstances,
): Entry[] {
  if (sighting.entryId === null) return [];
  const head = { ...entryHead(notification, now), reverses: sighting.entryId };
  return [reversalOf(head, sighting.posted)];
}

function amountChanged(before: Deposit, stated: Amount, at: string): Finding {
  return depositFinding('amount_changed', before, {
    expected: stated,
    actual: before.amount,
    severity: before.credit === null ? 'warning' : 'critical',
    detail: `${at} states ${stated} ${before.asset} where ${before.amount} was booked${
      before.credit === null ? '' : ', after the deposit was credited'
    }`,
  });
}

function gather(
  parts: readonly Settled[],
  more: { sighting: Sighting; entries: readonly Entry[]; found: readonly Finding[] },
  pinned: Changes['pinned'],
): Changes {
  return changes({
    sightings: [more.sighting],
    entries: more.entries,
    deposits: parts.map((part) => part.deposit),
    items: parts.flatMap((part) => part.items),
    found: [...more.found, ...parts.flatMap((part) => part.found)],
    healed: parts.flatMap((part) => part.healed),
    pinned,
  });
}

/** `incoming` `mempool` and `confirmation`. */
function decideSeen(
  dossier: Dossier,
  notification: IncomingNotification,
  now: Circumstances,
): Changes {
  const key = sightingKeyOf(notification);
  const before = sightingIn(dossier, key) ?? newSighting(key);
  const known = depositsAt(dossier, notification);
  const count = countOf(notification);
  const posting = postingOf(withEvent(before, notification, now.source), notification, now);
  const found: Finding[] = [];
  const { posted, epoch } = before;
  const ownTransfer = isOwnHash(dossier);
  const context = { notification, now, ownTransfer, posted, isCorrected: isCorrected(before) };
  const receipts = receivedIn(notification.changes ?? []);
  const told = receipts.map((received) => {
    const deposit = known.get(received.asset);
    if (deposit !== undefined && isBooked(deposit) && deposit.amount !== received.amount) {
      found.push(amountChanged(deposit, received.amount, `confirmation ${count}`));
    }
    const subject = deposit ?? newDeposit(received, { ...context, epoch });
    const after = sighted(subject, received, context);
    if (deposit !== undefined || !isOutOfDate(before, count)) return settle(after, now);
    // A deeper confirmation left it out, or the custody API did: their word stands.
    const emptied = { ...after, amount: ZERO };
    found.push(amountChanged(emptied, received.amount, `confirmation ${count}`));
    return settle(emptied, now);
  });
  for (const { asset } of receipts) known.delete(asset);
  const untold = Array.from(known.values(), (deposit) =>
    untoldDeposit(deposit, { notification, count, before, found, now }),
  );
  if (posting.restated && found.length === 0 && amountsDiffer(before.posted, notification)) {
    found.push(sideAmountsChanged(before, notification));
  }
  const { sighting, entries } = posting;
  const pinned = pinsOf(notification.changes, now);
  return gather([...told, ...untold], { sighting, entries, found }, pinned);
}

/** An amount that stands somewhere already: in the books, or in the credit feed. */
function isBooked(deposit: Deposit): boolean {
  return deposit.evidence !== 'none' || deposit.credit !== null;
}

/** Sums per asset and kind; a credit that moves to its registered memo changes none of them. */
function sumsByKind(list: readonly BalanceChange[]): string {
  const sums = new Map<string, Amount>();
  for (const { asset, kind, amount } of list) {
    const key = JSON.stringify([asset, kind]);
    sums.set(key, plus(sums.get(key) ?? ZERO, amount));
  }
  return JSON.stringify([...sums].map(([key, sum]) => `${key}=${sum}`).sort());
}

function amountsDiffer(
  posted: readonly BalanceChange[],
  notification: IncomingNotification,
): boolean {
  return sumsByKind(posted) !== sumsByKind(notification.changes ?? []);
}

/** Fee, rebate or mint entries of an incoming that were told anew with other amounts. */
function sideAmountsChanged(sighting: Sighting, notification: IncomingNotification): Finding {
  const { vaultId, network, blockchainHash, accountId, addressId, memo } = sighting;
  return finding('amount_changed', {
    key: breakKey('amount_changed', vaultId, network, blockchainHash, accountId, addressId, memo),
    subject: { vaultId, network, blockchainHash, transactionId: notification.transactionId },
    detail: `fee, rebate or mint entries of ${blockchainHash} were told again with other amounts; ${
      isCorrected(sighting) ? 'what the custody API says' : 'the newest confirmation'
    } stands`,
  });
}

/**
 * A deposit at this position that the notification does not name. Without balance changes it just
 * grows deeper; with changes that leave it out, the newest word is that it moved nothing.
 */
function untoldDeposit(
  deposit: Deposit,
  context: {
    notification: IncomingNotification;
    count: number;
    before: Sighting;
    found: Finding[];
    now: Circumstances;
  },
): Settled {
  const { notification, count, before, found, now } = context;
  const told = (notification.changes ?? []).length > 0;
  const moved = deposit.evidence === 'confirmed' && deposit.amount !== ZERO;
  if (told && moved && !hasSeenDeeper(before, count)) {
    found.push(amountChanged(deposit, ZERO, `confirmation ${count}`));
    if (isCorrected(before)) return settle(deposit, now);
    const emptied = { ...deposit, amount: ZERO, verifiedAt: null, approvals: [] };
    return settle({ ...emptied, updatedAt: now.at }, now);
  }
  if (told || deposit.evidence !== 'confirmed') return settle(deposit, now);
  return settle(
    { ...deposit, confirmations: Math.max(deposit.confirmations, count), updatedAt: now.at },
    now,
  );
}

/** `incoming` `rollback`: reverse exactly what this deposit has posted; the epoch ends. */
function decideRollback(
  dossier: Dossier,
  notification: IncomingNotification,
  now: Circumstances,
): Changes {
  const key = sightingKeyOf(notification);
  const before = sightingIn(dossier, key) ?? newSighting(key);
  const after = withEvent(before, notification, now.source);
  const known = depositsAt(dossier, notification);
  const unseen = receivedIn(notification.changes ?? [])
    .filter((received) => !known.has(received.asset))
    .map((received) => newDeposit(received, { notification, epoch: before.epoch, now }));
  const found = [...known.values()].flatMap((deposit) => {
    const { credit, evidence, amount, asset } = deposit;
    if (credit === null || evidence === 'none') return [];
    return depositFinding('reversal_after_credit', deposit, {
      expected: ZERO,
      actual: amount,
      detail: `${amount} ${asset} was credited (${credit.creditId}) and its transaction has been rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then`,
    });
  });
  return gather(
    [...known.values(), ...unseen].map((deposit) => settle(rolledBack(deposit, now.at), now)),
    {
      sighting: standingAs(after, { entryId: null, posted: [] }),
      entries: reversalFor(before, notification, now),
      found,
    },
    pinsOf(notification.changes, now),
  );
}

/**
 * What an `incoming` notification does (spec, "Incoming stream").
 * The caller has already told repeats apart (`isRepeat`).
 */
export function decideIncoming(
  dossier: Dossier,
  notification: IncomingNotification,
  now: Circumstances,
): Changes {
  return notification.type === 'rollback'
    ? decideRollback(dossier, notification, now)
    : decideSeen(dossier, notification, now);
}

/** A repeat under another id that states other amounts: no effect, and no silence either. */
export function contradictionIn(dossier: Dossier, notification: IncomingNotification): Finding[] {
  if (notification.changes === null || notification.type === 'rollback') return [];
  const known = depositsAt(dossier, notification);
  return receivedIn(notification.changes).flatMap((received) => {
    const deposit = known.get(received.asset);
    if (deposit === undefined) {
      return [
        finding('amount_changed', {
          key: breakKey('amount_changed', notification.id),
          subject: {
            vaultId: notification.vaultId,
            network: notification.network,
            blockchainHash: notification.blockchainHash,
            transactionId: notification.transactionId,
            asset: received.asset,
          },
          expected: received.amount,
          actual: ZERO,
          detail: `notification ${notification.id} repeats a known event but states ${received.amount} ${received.asset}, which the first did not`,
        }),
      ];
    }
    return deposit.amount === received.amount
      ? []
      : [amountChanged(deposit, received.amount, `a repeat under another id (${notification.id})`)];
  });
}
