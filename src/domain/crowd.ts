import type { Deposit } from './deposit.ts';
import type { Dossier } from './dossier.ts';
import type { AssetId } from './ids.ts';
import type { BalanceChange, IncomingNotification, Notification } from './notification.ts';
import type { Sighting } from './sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

/**
 * Most that is known of one hash before webhooks add no more to it, in records: all of it is read for
 * each that tells of the hash. A transaction that pays 2,000 customers weighs as much; the largest that
 * nodes pass on pay some 3,200, hardly ever all to one receiver.
 */
export const HASH_WEIGHT_MAX = 10_000;

/** Most deposits of one hash at one place, a deposit for each asset: all of them are judged at once. */
export const PLACE_DEPOSITS_MAX = 1_000;

/** Names of so many characters weigh as much as a record does, and so do so many seen events. */
const RECORD_CHARACTERS = 1_000;
const RECORD_EVENTS = 10;

type Name = string | null;

/** One, and more for names that are long. */
function recordWeight(first: Name, second: Name = null, third: Name = null, fourth: Name = null) {
  const length =
    (first?.length ?? 0) + (second?.length ?? 0) + (third?.length ?? 0) + (fourth?.length ?? 0);
  return 1 + length / RECORD_CHARACTERS;
}

interface Placed {
  readonly accountId: Name;
  readonly addressId: Name;
  readonly memo: Name;
}

function placedWeight({ accountId, addressId, memo }: Placed, other: Name): number {
  return recordWeight(accountId, addressId, memo, other);
}

function changesWeight(list: readonly BalanceChange[]): number {
  return list.reduce((sum, change) => sum + placedWeight(change, change.asset), 0);
}

export function sightingWeight(sighting: Sighting): number {
  const { vaultId, seen, posted } = sighting;
  const events = seen.reduce(
    (sum, { transactionId }) => sum + (transactionId?.length ?? 0) / RECORD_CHARACTERS,
    seen.length / RECORD_EVENTS,
  );
  return placedWeight(sighting, vaultId) + events + changesWeight(posted);
}

export function depositWeight(deposit: Deposit): number {
  return placedWeight(deposit, deposit.asset);
}

function withdrawalWeight(withdrawal: Withdrawal): number {
  const { transactionId, orderId, destinationAddress, posted } = withdrawal;
  const own = placedWeight(withdrawal, transactionId);
  return own + recordWeight(orderId, destinationAddress) + changesWeight(posted);
}

function total<Item>(list: readonly Item[], weigh: (item: Item) => number): number {
  return list.reduce((sum, item) => sum + weigh(item), 0);
}

/** What arrived at a hash, in records: what is told of it again and again. */
export function arrivedWeight({
  sightings,
  deposits,
}: Pick<Dossier, 'sightings' | 'deposits'>): number {
  return total(sightings, sightingWeight) + total(deposits, depositWeight);
}

function sentWeight({ withdrawals, ownHashes }: Dossier): number {
  return (
    total(withdrawals, withdrawalWeight) +
    total(ownHashes, ({ transactionId }) => recordWeight(transactionId))
  );
}

/** How many deposits there would be at the place of a notification. */
function depositsAfter({ deposits }: Dossier, told: IncomingNotification): number {
  const assets = new Set<AssetId>(told.changes?.map(({ asset }) => asset));
  for (const deposit of deposits) {
    const isThere =
      deposit.addressId === told.addressId &&
      deposit.accountId === told.accountId &&
      deposit.memo === told.memo &&
      deposit.vaultId === told.vaultId;
    if (isThere) assets.add(deposit.asset);
  }
  return assets.size;
}

/**
 * Why a notification is not booked at a hash of which too much is known already, or null. Whoever knows
 * the webhook's URL could else make each notification about a hash take ever longer. `arrived`: see
 * `arrivedWeight`.
 */
export function crowdAt(
  dossier: Dossier,
  arrived: number,
  notification: Notification,
): string | null {
  if (arrived + sentWeight(dossier) > HASH_WEIGHT_MAX) {
    return `blockchainHash: more than ${HASH_WEIGHT_MAX} records are known of it`;
  }
  if (notification.stream !== 'incoming') return null;
  const most = dossier.deposits.length + (notification.changes?.length ?? 0);
  // Nearly every notification ends here.
  if (most <= PLACE_DEPOSITS_MAX) return null;
  return depositsAfter(dossier, notification) > PLACE_DEPOSITS_MAX
    ? `balanceChanges: more than ${PLACE_DEPOSITS_MAX} deposits at one place`
    : null;
}
