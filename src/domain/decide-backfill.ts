import { followBurnedFees } from './burned-fee.ts';
import type { CustodyTransaction } from './custody.ts';
import { decideIncoming } from './decide-incoming.ts';
import { decideOutgoing } from './decide-outgoing.ts';
import {
  dossierOf,
  NO_CHANGES,
  sightingIn,
  type Changes,
  type Circumstances,
  type Dossier,
  type HashDossier,
} from './dossier.ts';
import { NotificationId } from './ids.ts';
import type { IncomingNotification, OutgoingNotification } from './notification.ts';
import { sightingKeyOf } from './sighting.ts';
import { advances, knownStatus, type Withdrawal } from './withdrawal.ts';

/** A backfill stands where a notification should have; it has no id of its own to be known by. */
function standInId(record: CustodyTransaction): NotificationId {
  return NotificationId(`api/${record.transactionId}`);
}

/** An incoming transaction of the API as the notification that should have told of it. */
export function incomingOf(
  record: CustodyTransaction,
  type: 'confirmation' | 'rollback',
): IncomingNotification | null {
  const { vaultId, network, blockchainHash, accountId, addressId, memo } = record;
  if (blockchainHash === null) return null;
  return {
    stream: 'incoming',
    type,
    id: standInId(record),
    vaultId,
    network,
    blockchainHash,
    accountId,
    addressId,
    memo,
    transactionId: record.transactionId,
    confirmations: type === 'confirmation' ? Math.max(1, record.confirmations ?? 1) : null,
    changes: record.changes,
  };
}

/**
 * Takes an incoming transaction into the books as the API tells it: posted when nothing stands for
 * it, taken back when the API says that it left the chain. The notification that comes after all
 * finds its content booked and posts nothing.
 */
function backfillIncoming(
  dossier: Dossier,
  record: CustodyTransaction,
  now: Circumstances,
): Changes {
  const type = record.status === 'rolledback' ? 'rollback' : 'confirmation';
  const notification = incomingOf(record, type);
  if (notification === null) return NO_CHANGES;
  const sighting = sightingIn(dossier, sightingKeyOf(notification));
  const stands = sighting !== undefined && sighting.entryId !== null;
  if (type === 'rollback') {
    const told = sighting !== undefined && sighting.seen.length > 0;
    return told ? decideIncoming(dossier, notification, now) : NO_CHANGES;
  }
  if (stands || record.status !== 'confirmed' || record.changes === null) return NO_CHANGES;
  return decideIncoming(dossier, notification, now);
}

/** Takes the last event of an outgoing transaction from the API, when it is further than ours. */
function backfillOutgoing(
  dossier: Dossier,
  known: Withdrawal | undefined,
  context: { record: CustodyTransaction; now: Circumstances },
): Changes {
  const { record, now } = context;
  const status = knownStatus(record.status);
  if (status === undefined || !advances(known?.status ?? null, status)) return NO_CHANGES;
  if (status === 'mined' && (record.changes === null || record.blockchainHash === null)) {
    return NO_CHANGES;
  }
  const { vaultId, transactionId, orderId, network, blockchainHash } = record;
  const { accountId, addressId, destinationAddress, memo, reasonCode } = record;
  const notification: OutgoingNotification = {
    stream: 'outgoing',
    type: status,
    id: standInId(record),
    vaultId,
    transactionId,
    orderId,
    network,
    blockchainHash,
    accountId,
    addressId,
    destinationAddress,
    memo,
    reasonCode,
    changes: status === 'mined' ? record.changes : null,
  };
  return decideOutgoing(dossier, known, { notification, now });
}

/**
 * What a backfill does: the rules of the notification that never came, with entries marked `api`.
 * Decided on the records as they are: when the notification has arrived meanwhile, nothing is left.
 * `hashes`: dossiers of the record's hash and of the one that its withdrawal has.
 */
export function decideBackfill(
  hashes: readonly HashDossier[],
  known: Withdrawal | undefined,
  context: { record: CustodyTransaction; now: Circumstances },
): Changes {
  const { record, now } = context;
  const dossier = dossierOf(hashes, record);
  const decided =
    record.type === 'incoming'
      ? backfillIncoming(dossier, record, now)
      : backfillOutgoing(dossier, known, context);
  return followBurnedFees(decided, hashes, now);
}
