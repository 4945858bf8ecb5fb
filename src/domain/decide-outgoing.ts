import { postFor, unpost, type Booked } from './booking.ts';
import { breakKey, finding, type Finding } from './break.ts';
import { pinsOf, sameContent } from './content.ts';
import { ruleFor } from './crediting.ts';
import type { Deposit } from './deposit.ts';
import {
  changes,
  isOwnHash,
  sightingIn,
  type Changes,
  type Circumstances,
  type Dossier,
} from './dossier.ts';
import type { OutgoingNotification } from './notification.ts';
import { isDisowned, type OwnHash, type OwnHashStanding } from './own-hash.ts';
import { depositFinding, settle, type Settled } from './settlement.ts';
import { hasHash, newSighting, sightingKeyOf, withEvent } from './sighting.ts';
import {
  advances,
  isTerminal,
  newWithdrawal,
  statusOf,
  withOutgoingEvent,
  type CustodyStanding,
  type Withdrawal,
} from './withdrawal.ts';

/** The withdrawal as it is after an event, with what stood before taken back where it was posted. */
function clear(before: Withdrawal, after: Withdrawal, now: Circumstances): Booked {
  const { entries } = unpost(before, now);
  return { withdrawal: { ...after, entryId: null, posted: [] }, entries };
}

function book(
  before: Withdrawal,
  after: Withdrawal,
  context: { notification: OutgoingNotification; now: Circumstances },
): Booked {
  const { notification, now } = context;
  // What the API does not know is told by webhooks alone: nothing of it is booked any more.
  const isDenied = before.custody === 'unknown' && now.source === 'webhook';
  if (isDenied || !advances(before.status, statusOf(notification.type))) {
    return { withdrawal: after, entries: [] };
  }
  switch (notification.type) {
    case 'mined': {
      // A fee booked for an earlier `failed` gives way to what `mined` says itself.
      const cleared = clear(before, after, now);
      const list = notification.changes ?? [];
      const booked = postFor(cleared.withdrawal, { cause: 'mined', list }, now);
      return { ...booked, entries: [...cleared.entries, ...booked.entries] };
    }
    case 'rolledback':
    case 'replaced':
      return clear(before, after, now);
    case 'failed':
    case 'approval-pending':
    case 'approved':
    case 'pending':
    case 'requested':
    case 'inited':
    case 'to-sign':
    case 'signed':
    case 'submitted':
    case 'warning':
    case 'cancelled':
      return { withdrawal: after, entries: [] };
    default:
      return notification.type satisfies never;
  }
}

/** A second `mined` of one transaction does not post; other amounts in it are not passed over. */
export function minedAgain(before: Withdrawal, notification: OutgoingNotification): Finding[] {
  const list = notification.changes;
  if (notification.type !== 'mined' || before.status !== 'mined' || list === null) return [];
  if (sameContent(list, before.posted)) return [];
  return [
    finding('amount_changed', {
      key: breakKey('amount_changed', before.transactionId),
      subject: {
        vaultId: before.vaultId,
        network: before.network,
        blockchainHash: before.blockchainHash,
        transactionId: before.transactionId,
      },
      detail: `transaction ${before.transactionId} was reported mined twice with different balance changes; the first stands`,
    }),
  ];
}

/** Deposits judged anew, with what there is to say of it. */
export interface Judged {
  readonly settled: readonly Settled[];
  readonly found: readonly Finding[];
}

export const NOTHING_JUDGED: Judged = { settled: [], found: [] };

/**
 * Deposits of a hash that turned out to be our own outgoing transaction. One that was credited
 * already is money given away twice: it opens a critical break.
 */
export function claimDeposits(
  deposits: readonly Deposit[],
  transactionId: string,
  now: Circumstances,
): Judged {
  const unclaimed = deposits.filter((deposit) => !deposit.ownTransfer);
  return {
    settled: unclaimed.map((deposit) =>
      settle({ ...deposit, ownTransfer: true, updatedAt: now.at }, now),
    ),
    found: unclaimed.flatMap((deposit) => {
      const { credit } = deposit;
      if (credit === null || ruleFor(now.policy, deposit).creditInternal) return [];
      return depositFinding('status_mismatch', deposit, {
        severity: 'critical',
        detail: `credited as ${credit.creditId}, but its hash belongs to own transaction ${transactionId}: an internal transfer, not a customer's deposit`,
      });
    }),
  };
}

/**
 * A deposit whose hash turned out to be nobody's transaction of ours. What verified it did so while
 * it could not be credited: it is asked for anew.
 */
export function disclaimed(deposit: Deposit): Deposit {
  return deposit.credit === null
    ? { ...deposit, ownTransfer: false, verifiedAt: null, custodyConfirmations: 0 }
    : { ...deposit, ownTransfer: false };
}

/** Deposits of a hash that turned out to be nobody's transaction of ours. */
export function disclaimDeposits(deposits: readonly Deposit[], now: Circumstances): Judged {
  const settled = deposits
    .filter((deposit) => deposit.ownTransfer)
    .map((deposit) => settle({ ...disclaimed(deposit), updatedAt: now.at }, now));
  return { settled, found: [] };
}

/** The hash that an event names as its transaction's own, when it is news. */
function newOwnHash(
  dossier: Dossier,
  notification: OutgoingNotification,
  context: { before: Withdrawal; now: Circumstances },
): OwnHash[] {
  if (!hasHash(notification)) return [];
  const { network, blockchainHash, transactionId } = notification;
  if (dossier.ownHashes.some((own) => own.transactionId === transactionId)) return [];
  const standing =
    context.now.source === 'api' ? 'confirmed' : standingByWebhook(dossier, context.before);
  return [{ network, blockchainHash, transactionId, standing }];
}

/** What a webhook's word for a hash is worth, after what the custody API has said of both. */
function standingByWebhook(dossier: Dossier, { custody }: Withdrawal): OwnHashStanding {
  if (custody === 'unknown') return 'refuted';
  return custody === 'unasked' && isDisowned(dossier.ownHashes) ? 'disowned' : 'told';
}

/** What the custody API has said of a withdrawal counts until webhooks tell of another end or hash. */
function standingAfter(
  before: Withdrawal,
  after: Withdrawal,
  news: { hasNewHash: boolean; now: Circumstances },
): CustodyStanding {
  if (news.now.source === 'api') return 'known';
  if (before.custody !== 'known') return before.custody;
  const hasEnded = after.status !== before.status && isTerminal(after);
  return news.hasNewHash || hasEnded ? 'doubted' : 'known';
}

/**
 * What an `outgoing` notification does (spec, "Outgoing transaction progress"). `known` is the
 * withdrawal of its transactionId; the dossier is that of its hash, empty when it has none. The
 * caller has already told repeats apart.
 */
export function decideOutgoing(
  dossier: Dossier,
  known: Withdrawal | undefined,
  context: { notification: OutgoingNotification; now: Circumstances },
): Changes {
  const { notification, now } = context;
  const before = known ?? newWithdrawal(notification, now.at);
  const after = withOutgoingEvent(before, notification, now.at);
  const booked = book(before, after, { notification, now });
  const ownHashes = newOwnHash(dossier, notification, { before, now });
  const isOwn = isOwnHash({ ownHashes: [...dossier.ownHashes, ...ownHashes] });
  const claimed =
    hasHash(notification) && isOwn
      ? claimDeposits(dossier.deposits, notification.transactionId, now)
      : NOTHING_JUDGED;
  const custody = standingAfter(before, after, { hasNewHash: ownHashes.length > 0, now });
  const sightings = [];
  if (hasHash(notification)) {
    const key = sightingKeyOf(notification);
    sightings.push(
      withEvent(sightingIn(dossier, key) ?? newSighting(key), notification, now.source),
    );
  }
  return changes({
    sightings,
    withdrawals: [{ ...booked.withdrawal, custody }],
    ownHashes,
    entries: booked.entries,
    deposits: claimed.settled.map((part) => part.deposit),
    items: claimed.settled.flatMap((part) => part.items),
    found: [
      ...minedAgain(before, notification),
      ...claimed.found,
      ...claimed.settled.flatMap((part) => part.found),
    ],
    healed: claimed.settled.flatMap((part) => part.healed),
    pinned: pinsOf(notification.changes, now),
  });
}
