import type { Finding } from './break.ts';
import { followBurnedFees } from './burned-fee.ts';
import { sameContent } from './content.ts';
import { decideChain, repeatedOtherwise } from './decide-chain.ts';
import { contradictionIn, decideIncoming } from './decide-incoming.ts';
import { decideOutgoing, minedAgain } from './decide-outgoing.ts';
import {
  changes,
  dossierOf,
  sightingIn,
  type Changes,
  type Circumstances,
  type Dossier,
  type HashDossier,
} from './dossier.ts';
import type { Notification } from './notification.ts';
import { hasHash, isRepeat, sightingKeyOf, type Sighting } from './sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

/** What a notification whose id is new does: nothing but a note when it repeats known content. */
export interface NotificationDecision {
  readonly status: 'accepted' | 'duplicate';
  readonly changes: Changes;
}

/** What a repeat under another id says differently: it has no effect, and it is not passed over. */
function contradiction(
  notification: Notification,
  known: { dossier: Dossier; withdrawal: Withdrawal | undefined; sighting: Sighting },
): Finding[] {
  switch (notification.stream) {
    case 'incoming':
      return contradictionIn(known.dossier, notification);
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

/** What a notification does by the rule of its stream. */
function ofStream(
  dossier: Dossier,
  withdrawal: Withdrawal | undefined,
  { notification, now }: { notification: Notification; now: Circumstances },
): Changes {
  switch (notification.stream) {
    case 'incoming':
      return decideIncoming(dossier, notification, now);
    case 'outgoing':
      return decideOutgoing(dossier, withdrawal, { notification, now });
    case 'blockchain':
      return decideChain(dossier, notification, now);
    default:
      return notification satisfies never;
  }
}

/**
 * Decides on a notification whose id has not been seen. `withdrawal` is the one of its
 * transactionId (outgoing stream only); `hashes` are the dossiers of the hash that the notification
 * names and of the one that its withdrawal has.
 */
export function decideNotification(
  hashes: readonly HashDossier[],
  withdrawal: Withdrawal | undefined,
  context: { notification: Notification; now: Circumstances },
): NotificationDecision {
  const { notification, now } = context;
  const dossier = dossierOf(hashes, notification);
  if (hasHash(notification)) {
    const sighting = sightingIn(dossier, sightingKeyOf(notification));
    if (sighting !== undefined && isRepeat(sighting, notification)) {
      const found = contradiction(notification, { dossier, withdrawal, sighting });
      return { status: 'duplicate', changes: changes({ found }) };
    }
  }
  const decided = ofStream(dossier, withdrawal, context);
  return { status: 'accepted', changes: followBurnedFees(decided, hashes, now) };
}
