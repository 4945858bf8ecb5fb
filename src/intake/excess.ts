import type { Notification } from '../domain/notification.ts';

/**
 * Most changes that are booked at once, each a posting and a balance of its own. A Bitcoin transaction
 * that nodes pass on has some 3,200 outputs at most.
 */
export const CHANGES_MAX = 4_000;

/** Most assets, each a movement and on `incoming` a deposit of its own. */
export const ASSETS_MAX = 500;

/**
 * How long the names may be that a notification tells once, and its rows repeat for every change: of
 * 100 kB that name one long vault, half a gigabyte would be written.
 */
export const REPEATED_CHARACTERS_MAX = 1_000_000;

/** How long the names are that the rows of every change may repeat. */
function namesLength(told: Notification): number {
  const { vaultId, network, blockchainHash, transactionId } = told;
  const place = told.stream === 'incoming' ? [told.accountId, told.addressId, told.memo] : [];
  const names = [vaultId, network, blockchainHash, transactionId, ...place];
  return names.reduce((sum, name) => sum + (name?.length ?? 0), 0);
}

/**
 * Why a notification would take so long to book that whoever else waits for the writer would notice,
 * or null. `bytes`: the length of its body.
 */
export function excessIn(notification: Notification, bytes: number): string | null {
  const { changes } = notification;
  // Nearly every notification ends here: it cannot repeat more than it is long.
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
