import { followBurnedFees } from '../withdrawal/burned-fee.ts';
import { networkAddressOf } from '../chain/network-address.ts';
import type { CustodyTransaction } from './custody-record.ts';
import { handleIncoming } from '../deposit/incoming-handler.ts';
import { handleOutgoing } from '../withdrawal/outgoing-handler.ts';
import {
  hashStateOf,
  NO_CHANGES,
  sightingIn,
  type ChangeSet,
  type RuleContext,
  type HashState,
  type KeyedHashState,
} from '../hash/hash-state.ts';
import { NotificationId } from '../ids.ts';
import type { IncomingNotification, OutgoingNotification } from './notification.ts';
import { sightingKeyOf, type Sighting } from '../hash/sighting.ts';
import { advances, knownStatus, type Withdrawal } from '../withdrawal/withdrawal.ts';

/** The id of a backfilled notification, which has none of its own. */
function standInId(record: CustodyTransaction): NotificationId {
  return NotificationId(`api/${record.transactionId}`);
}

/**
 * The incoming notification that the custody API's transaction corresponds to. A confirmation
 * counts at least 1.
 */
export function incomingOf(
  record: CustodyTransaction & Pick<IncomingNotification, 'blockchainHash'>,
  type: 'confirmation' | 'rollback',
): IncomingNotification {
  const { vaultId, network, blockchainHash, accountId, addressId, memo } = record;
  return {
    stream: 'incoming',
    type,
    id: standInId(record),
    vaultId,
    network,
    blockchainHash,
    accountId,
    addressId,
    // Older facts name only the destination, which is the receiving address.
    networkAddress: record.networkAddress ?? networkAddressOf(record.destinationAddress),
    memo,
    transactionId: record.transactionId,
    confirmations: type === 'confirmation' ? Math.max(1, record.confirmations ?? 1) : null,
    changes: record.changes,
  };
}

/** What incoming webhooks reported at an incoming record's position, if anything. */
export function sightingAt(hashState: HashState, record: CustodyTransaction): Sighting | undefined {
  const { blockchainHash } = record;
  if (blockchainHash === null) return undefined;
  const notification = incomingOf({ ...record, blockchainHash }, 'confirmation');
  return sightingIn(hashState, sightingKeyOf(notification));
}

/** The epoch of an incoming record's position in our books; 0 when nothing is known of it. */
export function epochOf(hashState: HashState, record: CustodyTransaction): number {
  return sightingAt(hashState, record)?.epoch ?? 0;
}

/**
 * Books an incoming transaction as the custody API reports it. Posts it when no entry is active;
 * reverses it when the API says `rolledback`. The late notification then finds its content booked
 * and posts nothing.
 */
function backfillIncoming(
  hashState: HashState,
  record: CustodyTransaction,
  now: RuleContext,
): ChangeSet {
  const { blockchainHash } = record;
  if (blockchainHash === null) return NO_CHANGES;
  const type = record.status === 'rolledback' ? 'rollback' : 'confirmation';
  const notification = incomingOf({ ...record, blockchainHash }, type);
  const sighting = sightingIn(hashState, sightingKeyOf(notification));
  const isPosted = sighting !== undefined && sighting.entryId !== null;
  if (type === 'rollback') {
    const hasEvents = sighting !== undefined && sighting.seen.length > 0;
    return hasEvents ? handleIncoming(hashState, notification, now) : NO_CHANGES;
  }
  if (isPosted || record.status !== 'confirmed' || record.changes === null) return NO_CHANGES;
  return handleIncoming(hashState, notification, now);
}

/**
 * Applies an outgoing transaction's last event from the custody API, if it advances the withdrawal.
 */
function backfillOutgoing(
  hashState: HashState,
  known: Withdrawal | undefined,
  context: { record: CustodyTransaction; now: RuleContext },
): ChangeSet {
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
  return handleOutgoing(hashState, known, { notification, now });
}

/**
 * Handles a backfill: applies the missing notification's rules, with entries marked `api`. Reads
 * the records as they are now, so a notification that arrived meanwhile leaves nothing to do.
 * A record from before a rollback books nothing: its `epoch` is another one. `hashes`: states of the
 * record's hash and of the withdrawal's hash.
 */
export function handleBackfill(
  hashes: readonly KeyedHashState[],
  known: Withdrawal | undefined,
  context: { record: CustodyTransaction; epoch?: number | undefined; now: RuleContext },
): ChangeSet {
  const { record, epoch, now } = context;
  const hashState = hashStateOf(hashes, record);
  if (epoch !== undefined && epoch !== epochOf(hashState, record)) return NO_CHANGES;
  const decided =
    record.type === 'incoming'
      ? backfillIncoming(hashState, record, now)
      : backfillOutgoing(hashState, known, context);
  return followBurnedFees(decided, hashes, now);
}
