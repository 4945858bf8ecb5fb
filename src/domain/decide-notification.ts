import { decideChain } from './decide-chain.ts';
import { contradictionIn, decideIncoming } from './decide-incoming.ts';
import { decideOutgoing } from './decide-outgoing.ts';
import { changes, sightingIn, type Changes, type Circumstances, type Dossier } from './dossier.ts';
import type { Notification } from './notification.ts';
import { hasHash, isRepeat, sightingKeyOf } from './sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

/** What a notification whose id is new does: nothing but a note when it repeats known content. */
export interface NotificationDecision {
  readonly status: 'accepted' | 'duplicate';
  readonly changes: Changes;
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
    if (isRepeat(sighting, notification)) {
      const found =
        notification.stream === 'incoming' ? contradictionIn(dossier, notification) : [];
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
