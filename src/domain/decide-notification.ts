import type { Finding } from './break.ts';
import { sameContent } from './content.ts';
import { decideChain, restated } from './decide-chain.ts';
import { contradictionIn, decideIncoming } from './decide-incoming.ts';
import { decideOutgoing, minedAgain } from './decide-outgoing.ts';
import { changes, sightingIn, type Changes, type Circumstances, type Dossier } from './dossier.ts';
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
      return sameContent(list, known.sighting.posted) ? [] : [restated(notification)];
    }
    default:
      return notification satisfies never;
  }
}

/**
 * Decides on a notification whose id has not been seen. `withdrawal` is the one of its
 * transactionId (outgoing stream only).
 */
export function decideNotification(
  dossier: Dossier,
  withdrawal: Withdrawal | undefined,
  context: { notification: Notification; now: Circumstances },
): NotificationDecision {
  const { notification, now } = context;
  if (hasHash(notification)) {
    const sighting = sightingIn(dossier, sightingKeyOf(notification));
    if (sighting !== undefined && isRepeat(sighting, notification)) {
      const found = contradiction(notification, { dossier, withdrawal, sighting });
      return { status: 'duplicate', changes: changes({ found }) };
    }
  }
  switch (notification.stream) {
    case 'incoming':
      return { status: 'accepted', changes: decideIncoming(dossier, notification, now) };
    case 'outgoing':
      return {
        status: 'accepted',
        changes: decideOutgoing(dossier, withdrawal, { notification, now }),
      };
    case 'blockchain':
      return { status: 'accepted', changes: decideChain(dossier, notification, now) };
    default:
      return notification satisfies never;
  }
}
