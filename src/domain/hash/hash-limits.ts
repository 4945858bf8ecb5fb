import type { Deposit } from '../deposit/deposit.ts';
import type { HashState } from './hash-state.ts';
import type { AssetId } from '../ids.ts';
import type { BalanceChange, IncomingNotification, Notification } from '../fact/notification.ts';
import type { Sighting } from './sighting.ts';
import type { Withdrawal } from '../withdrawal/withdrawal.ts';

/**
 * Most records that webhooks may add to one hash. Every notification about a hash reads all of
 * them. A transaction that pays 2,000 customers reaches this limit. The largest transactions that
 * nodes relay pay some 3,200 receivers, rarely all in one organization.
 */
export const HASH_WEIGHT_MAX = 10_000;

/**
 * Most deposits of one hash at one position, one per asset. Each notification evaluates all of
 * them.
 */
export const POSITION_DEPOSITS_MAX = 1_000;

/** Names of this many characters weigh one record; so do `RECORD_EVENTS` runs of events. */
const RECORD_CHARACTERS = 1_000;
const RECORD_EVENTS = 10;

type Name = string | null;

/** One record, plus a share for long names. */
function recordWeight(first: Name, second: Name = null, third: Name = null, fourth: Name = null) {
  const length =
    (first?.length ?? 0) + (second?.length ?? 0) + (third?.length ?? 0) + (fourth?.length ?? 0);
  return 1 + length / RECORD_CHARACTERS;
}

interface Positioned {
  readonly accountId: Name;
  readonly addressId: Name;
  readonly memo: Name;
}

function positionedWeight({ accountId, addressId, memo }: Positioned, other: Name): number {
  return recordWeight(accountId, addressId, memo, other);
}

function changesWeight(list: readonly BalanceChange[]): number {
  return list.reduce((sum, change) => sum + positionedWeight(change, change.asset), 0);
}

/** The weight of a sighting, in records: its names, its event runs and its balance changes. */
export function sightingWeight(sighting: Sighting): number {
  const { vaultId, seen, posted } = sighting;
  const events = seen.reduce(
    (sum, { transactionId }) => sum + (transactionId?.length ?? 0) / RECORD_CHARACTERS,
    seen.length / RECORD_EVENTS,
  );
  return positionedWeight(sighting, vaultId) + events + changesWeight(posted);
}

/** The weight of a deposit, in records. */
export function depositWeight(deposit: Deposit): number {
  return positionedWeight(deposit, deposit.asset);
}

function withdrawalWeight(withdrawal: Withdrawal): number {
  const { transactionId, orderId, destinationAddress, posted } = withdrawal;
  const own = positionedWeight(withdrawal, transactionId);
  return own + recordWeight(orderId, destinationAddress) + changesWeight(posted);
}

function total<Item>(list: readonly Item[], weigh: (item: Item) => number): number {
  return list.reduce((sum, item) => sum + weigh(item), 0);
}

/** The weight of the incoming side of a hash, in records: its sightings and deposits. */
export function arrivedWeight({
  sightings,
  deposits,
}: Pick<HashState, 'sightings' | 'deposits'>): number {
  return total(sightings, sightingWeight) + total(deposits, depositWeight);
}

function sentWeight({ withdrawals, ownHashes }: HashState): number {
  return (
    total(withdrawals, withdrawalWeight) +
    total(ownHashes, ({ transactionId }) => recordWeight(transactionId))
  );
}

/** How many deposits the notification's position would have after it. */
function depositsAfter({ deposits }: HashState, notification: IncomingNotification): number {
  const assets = new Set<AssetId>(notification.changes?.map(({ asset }) => asset));
  for (const deposit of deposits) {
    const isThere =
      deposit.addressId === notification.addressId &&
      deposit.accountId === notification.accountId &&
      deposit.memo === notification.memo &&
      deposit.vaultId === notification.vaultId;
    if (isThere) assets.add(deposit.asset);
  }
  return assets.size;
}

/**
 * Why a notification is quarantined instead of booked, or null. Without these limits, whoever knows
 * the webhook URL could make each notification about one hash slower. `arrived`: the hash's
 * `arrivedWeight`, in records.
 */
export function exceededHashLimit(
  hashState: HashState,
  arrived: number,
  notification: Notification,
): string | null {
  if (arrived + sentWeight(hashState) > HASH_WEIGHT_MAX) {
    return `blockchainHash: more than ${HASH_WEIGHT_MAX} records are known of it`;
  }
  if (notification.stream !== 'incoming') return null;
  const most = hashState.deposits.length + (notification.changes?.length ?? 0);
  // Most notifications return here.
  if (most <= POSITION_DEPOSITS_MAX) return null;
  return depositsAfter(hashState, notification) > POSITION_DEPOSITS_MAX
    ? `balanceChanges: more than ${POSITION_DEPOSITS_MAX} deposits at one place`
    : null;
}
