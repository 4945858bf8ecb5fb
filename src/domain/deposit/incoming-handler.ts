import { ZERO, type Amount } from '../money/amount.ts';
import { breakKey, finding, type Finding } from '../break/break.ts';
import { rolledBack, UNVERIFIED, type Deposit } from './deposit.ts';
import {
  changeSet,
  isOwnHash,
  sightingIn,
  type ChangeSet,
  type RuleContext,
  type HashState,
} from '../hash/hash-state.ts';
import { pinsOf, sameContent, sameSums } from '../hash/same-changes.ts';
import { entryOf, reversalOf, type Entry, type EntryHead } from '../money/entry.ts';
import type { AssetId } from '../ids.ts';
import type { BalanceChange, IncomingNotification } from '../fact/notification.ts';
import { countOf, newDeposit, receivedIn, sighted } from './received.ts';
import { depositFinding, evaluate, type Evaluated } from './evaluation.ts';
import {
  hasSeenDeeper,
  isCorrected,
  newSighting,
  sightingKeyOf,
  withEntry,
  withEvent,
  type Sighting,
} from '../hash/sighting.ts';

/** The deposits at the notification's position and memo, by asset; there may be hundreds. */
export function depositsAt(
  hashState: HashState,
  notification: IncomingNotification,
): Map<AssetId, Deposit> {
  const found = new Map<AssetId, Deposit>();
  for (const deposit of hashState.deposits) {
    const isThere =
      deposit.vaultId === notification.vaultId &&
      deposit.accountId === notification.accountId &&
      deposit.addressId === notification.addressId &&
      deposit.memo === notification.memo;
    if (isThere) found.set(deposit.asset, deposit);
  }
  return found;
}

/** The head of an entry that an incoming notification posts. */
export function entryHead(
  notification: IncomingNotification,
  now: RuleContext,
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

/** A `mempool` or `confirmation` event, and its balance changes. */
interface EvidenceContext {
  readonly notification: IncomingNotification;
  readonly list: readonly BalanceChange[];
  readonly now: RuleContext;
}

/**
 * The entries of a confirmation: one per epoch, reversed and posted again when the amounts change.
 */
function postingOf(
  sighting: Sighting,
  { notification, list, now }: EvidenceContext,
): { sighting: Sighting; entries: Entry[]; amountsChange: boolean } {
  const count = countOf(notification);
  if (count < 1 || list.length === 0) {
    return { sighting, entries: [], amountsChange: false };
  }
  const amountsChange = sighting.entryId !== null && !sameContent(sighting.posted, list);
  if (sighting.entryId !== null && !amountsChange) {
    return { sighting: withDecimals(sighting, list), entries: [], amountsChange };
  }
  if (isOutOfDate(sighting, count)) return { sighting, entries: [], amountsChange };
  const taken = reversalFor(sighting, notification, now);
  const entry = entryOf(entryHead(notification, now), list);
  return {
    sighting: withEntry(sighting, { entryId: entry.entryId, posted: list }),
    entries: [...taken, entry],
    amountsChange,
  };
}

/** Whether the active entry comes from a deeper confirmation, or from a custody API correction. */
function isOutOfDate(sighting: Sighting, count: number): boolean {
  return sighting.entryId !== null && (hasSeenDeeper(sighting, count) || isCorrected(sighting));
}

/** Keeps the new decimals of unchanged postings, so that they count as new only once. */
function withDecimals(sighting: Sighting, list: readonly BalanceChange[]): Sighting {
  const { entryId, posted } = sighting;
  const areKnown = list.every(
    ({ decimals }, at) => decimals === null || decimals === posted[at]?.decimals,
  );
  return areKnown ? sighting : withEntry(sighting, { entryId, posted: list });
}

/** The reversal of exactly what this sighting posted; empty without an active entry. */
export function reversalFor(
  sighting: Sighting,
  notification: IncomingNotification,
  now: RuleContext,
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
  parts: readonly Evaluated[],
  more: { sighting: Sighting; entries: readonly Entry[]; found: readonly Finding[] },
  pinned: ChangeSet['pinned'],
): ChangeSet {
  return changeSet({
    sightings: [more.sighting],
    entries: more.entries,
    deposits: parts.map((part) => part.deposit),
    items: parts.flatMap((part) => part.items),
    found: [...more.found, ...parts.flatMap((part) => part.found)],
    healed: parts.flatMap((part) => part.healed),
    pinned,
  });
}

/** Handles `incoming` `mempool` and `confirmation` (spec, "Incoming stream"). */
function handleEvidence(
  hashState: HashState,
  notification: IncomingNotification,
  now: RuleContext,
): ChangeSet {
  const key = sightingKeyOf(notification);
  const before = sightingIn(hashState, key) ?? newSighting(key);
  const known = depositsAt(hashState, notification);
  const count = countOf(notification);
  const list = notification.changes ?? [];
  const evidence = { notification, list, now };
  const posting = postingOf(withEvent(before, notification, now), evidence);
  const found: Finding[] = [];
  const { posted, epoch } = before;
  const ownTransfer = isOwnHash(hashState);
  const context = {
    notification,
    now,
    ownTransfer,
    posted,
    isCorrected: isCorrected(before),
    isOutOfDate: isOutOfDate(before, count),
  };
  const receipts = receivedIn(list);
  const named = receipts.map((received) => {
    const deposit = known.get(received.asset);
    if (deposit !== undefined && isBooked(deposit) && deposit.amount !== received.amount) {
      found.push(amountChanged(deposit, received.amount, `confirmation ${count}`));
    }
    const subject = deposit ?? newDeposit(received, { ...context, epoch });
    const after = sighted(subject, received, context);
    if (deposit?.evidence === 'confirmed' || !context.isOutOfDate) return evaluate(after, now);
    // A deeper confirmation or the custody API omitted this asset; they decide.
    const emptied = { ...after, amount: ZERO };
    found.push(amountChanged(emptied, received.amount, `confirmation ${count}`));
    return evaluate(emptied, now);
  });
  for (const { asset } of receipts) known.delete(asset);
  const unnamed = Array.from(known.values(), (deposit) =>
    unnamedDeposit(deposit, { ...evidence, count, before, found }),
  );
  if (posting.amountsChange && found.length === 0 && !sameSums(posted, list, 'address')) {
    found.push(entriesChanged(before, notification, sameSums(posted, list, 'kind')));
  }
  const { sighting, entries } = posting;
  const pinned = pinsOf(list, now);
  return gather([...named, ...unnamed], { sighting, entries, found }, pinned);
}

/** Whether the amount is already in the books or in the credit feed. */
function isBooked(deposit: Deposit): boolean {
  return deposit.evidence !== 'none' || deposit.credit !== null;
}

/**
 * The break for entries that a later confirmation states otherwise, although no deposit's amount
 * changed. `isMove`: only their accounts or addresses changed, else fee, rebate or mint entries.
 */
function entriesChanged(
  sighting: Sighting,
  notification: IncomingNotification,
  isMove: boolean,
): Finding {
  const { vaultId, network, blockchainHash, accountId, addressId, memo } = sighting;
  const change = isMove
    ? `notifications state the entries of ${blockchainHash} at different accounts or addresses; `
    : `fee, rebate or mint entries of ${blockchainHash} were told again with other amounts; `;
  return finding('amount_changed', {
    key: breakKey('amount_changed', vaultId, network, blockchainHash, accountId, addressId, memo),
    subject: { vaultId, network, blockchainHash, transactionId: notification.transactionId },
    detail: `${change}${
      isCorrected(sighting) ? 'what the custody API says' : 'the newest confirmation'
    } stands`,
  });
}

/**
 * Handles a deposit at this position that the notification does not name. Without balance changes
 * the deposit grows deeper. With balance changes that omit its asset, it received nothing.
 */
function unnamedDeposit(
  deposit: Deposit,
  context: EvidenceContext & { count: number; before: Sighting; found: Finding[] },
): Evaluated {
  const { list, count, before, found, now } = context;
  const hasChanges = list.length > 0;
  const moved = deposit.evidence === 'confirmed' && deposit.amount !== ZERO;
  if (hasChanges && moved && !hasSeenDeeper(before, count)) {
    found.push(amountChanged(deposit, ZERO, `confirmation ${count}`));
    if (isCorrected(before)) return evaluate(deposit, now);
    const emptied = { ...deposit, ...UNVERIFIED, amount: ZERO, approvals: [] };
    return evaluate({ ...emptied, updatedAt: now.at }, now);
  }
  if (hasChanges || deposit.evidence !== 'confirmed') return evaluate(deposit, now);
  return evaluate(
    { ...deposit, confirmations: Math.max(deposit.confirmations, count), updatedAt: now.at },
    now,
  );
}

/** Handles `incoming` `rollback`: reverses exactly what this deposit posted, and ends the epoch. */
function handleRollback(
  hashState: HashState,
  notification: IncomingNotification,
  now: RuleContext,
): ChangeSet {
  const key = sightingKeyOf(notification);
  const before = sightingIn(hashState, key) ?? newSighting(key);
  const after = withEvent(before, notification, now);
  const known = depositsAt(hashState, notification);
  const unseen = receivedIn(notification.changes ?? [])
    .filter((received) => !known.has(received.asset))
    .map((received) => newDeposit(received, { notification, epoch: before.epoch, now }));
  const found = [...known.values()].flatMap((deposit) => {
    const { credit, evidence, asset } = deposit;
    if (credit === null || evidence === 'none') return [];
    return depositFinding('reversal_after_credit', deposit, {
      expected: ZERO,
      actual: credit.amount,
      detail: `${credit.amount} ${asset} was credited (${credit.creditId}) and its transaction has been rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then`,
    });
  });
  return gather(
    [...known.values(), ...unseen].map((deposit) => evaluate(rolledBack(deposit, now.at), now)),
    {
      sighting: withEntry(after, { entryId: null, posted: [] }),
      entries: reversalFor(before, notification, now),
      found,
    },
    pinsOf(notification.changes, now),
  );
}

/**
 * Handles an `incoming` notification (the specification, section "Incoming stream"). The caller has
 * sorted out repeats (`isRepeat`). A rollback may follow confirmations of its hash (section
 * "Deposit and on-chain streams (event sequence)"). A contradiction is a break in the result.
 */
export function handleIncoming(
  hashState: HashState,
  notification: IncomingNotification,
  now: RuleContext,
): ChangeSet {
  return notification.type === 'rollback'
    ? handleRollback(hashState, notification, now)
    : handleEvidence(hashState, notification, now);
}

/**
 * Breaks for a repeat under another id that states other amounts; it has no other effect. Empty for
 * a rollback, and without balance changes.
 */
export function contradictionIn(
  hashState: HashState,
  notification: IncomingNotification,
): Finding[] {
  if (notification.changes === null || notification.type === 'rollback') return [];
  const known = depositsAt(hashState, notification);
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
