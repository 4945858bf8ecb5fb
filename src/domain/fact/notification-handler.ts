import type { Finding } from '../break/break.ts';
import { followBurnedFees } from '../withdrawal/burned-fee.ts';
import { sameContent } from '../hash/same-changes.ts';
import { handleChain, repeatedOtherwise } from '../chain/chain-handler.ts';
import { contradictionIn, handleIncoming } from '../deposit/incoming-handler.ts';
import { handleOutgoing, minedAgain } from '../withdrawal/outgoing-handler.ts';
import {
  changeSet,
  hashStateOf,
  sightingIn,
  type ChangeSet,
  type RuleContext,
  type HashState,
  type KeyedHashState,
} from '../hash/hash-state.ts';
import type { Notification } from './notification.ts';
import { hasHash, isRepeat, sightingKeyOf, type Sighting } from '../hash/sighting.ts';
import type { Withdrawal } from '../withdrawal/withdrawal.ts';

/**
 * The result for a notification with a new id. A repeat of known content changes nothing but may
 * open a break.
 */
export interface HandledNotification {
  readonly status: 'accepted' | 'duplicate';
  readonly changes: ChangeSet;
}

/**
 * Breaks for a repeat under another id that contradicts the first one. The repeat has no other
 * effect.
 */
function contradiction(
  notification: Notification,
  known: { hashState: HashState; withdrawal: Withdrawal | undefined; sighting: Sighting },
): Finding[] {
  switch (notification.stream) {
    case 'incoming':
      return contradictionIn(known.hashState, notification);
    case 'outgoing':
      return known.withdrawal === undefined ? [] : minedAgain(known.withdrawal, notification);
    case 'blockchain': {
      const { changes: list, type } = notification;
      if (type !== 'transaction' || list === null) return [];
      return sameContent(list, known.sighting.posted) ? [] : [repeatedOtherwise(notification)];
    }
    default:
      return notification satisfies never;
  }
}

/** Hands a notification to its stream's handler. */
function ofStream(
  hashState: HashState,
  withdrawal: Withdrawal | undefined,
  { notification, now }: { notification: Notification; now: RuleContext },
): ChangeSet {
  switch (notification.stream) {
    case 'incoming':
      return handleIncoming(hashState, notification, now);
    case 'outgoing':
      return handleOutgoing(hashState, withdrawal, { notification, now });
    case 'blockchain':
      return handleChain(hashState, notification, now);
    default:
      return notification satisfies never;
  }
}

/**
 * Handles a notification whose id is new (the specification, section "Delivery rules").
 * `withdrawal` is the one of its transactionId (outgoing stream only). `hashes` are the states of
 * the notification's hash and of the withdrawal's hash.
 */
export function handleNotification(
  hashes: readonly KeyedHashState[],
  withdrawal: Withdrawal | undefined,
  context: { notification: Notification; now: RuleContext },
): HandledNotification {
  const { notification, now } = context;
  const hashState = hashStateOf(hashes, notification);
  if (hasHash(notification)) {
    const sighting = sightingIn(hashState, sightingKeyOf(notification));
    if (sighting !== undefined && isRepeat(sighting, notification)) {
      const found = contradiction(notification, { hashState, withdrawal, sighting });
      return { status: 'duplicate', changes: changeSet({ found }) };
    }
  }
  const decided = ofStream(hashState, withdrawal, context);
  return { status: 'accepted', changes: followBurnedFees(decided, hashes, now) };
}
