import type { Notification } from '../domain/fact/notification.ts';

/**
 * Most balance changes of one notification, because each makes a posting and a balance. A Bitcoin
 * transaction that nodes relay has some 3,200 outputs at most.
 */
export const CHANGES_MAX = 4_000;

/** Most assets of one notification, because each makes a movement and, on `incoming`, a deposit. */
export const ASSETS_MAX = 500;

/**
 * Most characters of names that the rows of one notification repeat for every change. A body of 100
 * kB with one long vault name could otherwise write half a gigabyte.
 */
export const REPEATED_CHARACTERS_MAX = 1_000_000;

/** Length of the names that the row of each change may repeat. */
function namesLength(notification: Notification): number {
  const { vaultId, network, blockchainHash, transactionId } = notification;
  const position =
    notification.stream === 'incoming'
      ? [notification.accountId, notification.addressId, notification.memo]
      : [];
  const names = [vaultId, network, blockchainHash, transactionId, ...position];
  return names.reduce((sum, name) => sum + (name?.length ?? 0), 0);
}

/**
 * Why booking a notification would delay other senders noticeably, or null. `bytes`: the length of
 * its body.
 */
export function exceededNotificationLimit(
  notification: Notification,
  bytes: number,
): string | null {
  const { changes } = notification;
  // Fast path of nearly every notification: a body cannot repeat more than its length.
  if (changes === null) return null;
  if (changes.length <= ASSETS_MAX && changes.length * bytes <= REPEATED_CHARACTERS_MAX)
    return null;
  if (changes.length > CHANGES_MAX) {
    return `balanceChanges: ${changes.length} entries, more than the ${CHANGES_MAX} that are booked at once`;
  }
  const assets = new Set(changes.map(({ asset }) => asset)).size;
  if (assets > ASSETS_MAX) {
    return `balanceChanges: ${assets} assets, more than the ${ASSETS_MAX} that are booked at once`;
  }
  const names = namesLength(notification);
  if (changes.length * names <= REPEATED_CHARACTERS_MAX) return null;
  return `body: ${changes.length} entries repeat names of ${names} characters, more than the ${REPEATED_CHARACTERS_MAX} in all that are booked at once`;
}
