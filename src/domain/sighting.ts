import type { EntrySource } from './entry.ts';
import type {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from './ids.ts';
import type { BalanceChange, Notification } from './notification.ts';

/**
 * Where a hash was seen: one per stream and receiving position. The spec's bare
 * `(blockchainHash, type, confirmations)` is not enough to tell events apart: one hash can pay
 * several vaults, addresses and memos.
 */
export interface SightingKey {
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly vaultId: VaultId;
  readonly stream: Notification['stream'];
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly memo: Memo | null;
}

/** What one stream has told about a hash at one position. */
export interface Sighting extends SightingKey {
  /** How many times the hash has been rolled back here; a re-mined hash is a new epoch. */
  readonly epoch: number;
  /** Events seen in this epoch; the second layer of deduplication. */
  readonly seen: readonly string[];
  /** The ledger entry that stands for this sighting now, or null when none does. */
  readonly entryId: number | null;
  /** The balance changes of that entry; kept beside it so that a reversal needs nothing else. */
  readonly posted: readonly BalanceChange[];
}

type HashedNotification = Notification & {
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
};

/** Whether the second layer of deduplication applies: events without a hash repeat legitimately. */
export function hasHash(notification: Notification): notification is HashedNotification {
  return notification.blockchainHash !== null && notification.network !== null;
}

export function sightingKeyOf(notification: HashedNotification): SightingKey {
  const atPosition = notification.stream !== 'blockchain';
  return {
    network: notification.network,
    blockchainHash: notification.blockchainHash,
    vaultId: notification.vaultId,
    stream: notification.stream,
    accountId: atPosition ? notification.accountId : null,
    addressId: atPosition ? notification.addressId : null,
    memo: atPosition ? notification.memo : null,
  };
}

export function sameKey(left: SightingKey, right: SightingKey): boolean {
  return (
    left.vaultId === right.vaultId &&
    left.stream === right.stream &&
    left.accountId === right.accountId &&
    left.addressId === right.addressId &&
    left.memo === right.memo &&
    left.blockchainHash === right.blockchainHash &&
    left.network === right.network
  );
}

export function newSighting(key: SightingKey): Sighting {
  const { network, blockchainHash, vaultId, stream, accountId, addressId, memo } = key;
  const place = { network, blockchainHash, vaultId, stream, accountId, addressId, memo };
  return { ...place, epoch: 0, seen: [], entryId: null, posted: [] };
}

function confirmationsOf(notification: Notification): number | null {
  return notification.stream === 'outgoing' ? null : notification.confirmations;
}

/** What the API told has names of its own: the webhook that comes after all is no repeat of it. */
const TOLD_BY_API = 'api/';

function eventName(notification: Notification, source: EntrySource): string {
  const transactionId: TransactionId | null = notification.transactionId;
  const told = source === 'api' ? TOLD_BY_API : '';
  return `${told}${notification.type}:${confirmationsOf(notification) ?? ''}:${transactionId ?? ''}`;
}

/**
 * Whether this is the same content under another id. A `rollback` in an epoch that holds no
 * evidence repeats the one that opened it; the very first thing ever seen of a hash is never a
 * repeat, even when it is a rollback.
 */
export function isRepeat(sighting: Sighting, notification: Notification): boolean {
  if (notification.type === 'rollback') return sighting.seen.length === 0;
  return sighting.seen.includes(eventName(notification, 'webhook'));
}

/** The sighting after this event. A rollback closes the epoch: the same counts may climb again. */
export function withEvent(
  sighting: Sighting,
  notification: Notification,
  source: EntrySource,
): Sighting {
  return notification.type === 'rollback'
    ? { ...sighting, epoch: sighting.epoch + 1, seen: [] }
    : { ...sighting, seen: [...sighting.seen, eventName(notification, source)] };
}

/** Whether what stands in the chain view rests on the API's word alone, no `transaction` having come. */
export function isToldByApi(sighting: Sighting): boolean {
  return (
    sighting.entryId !== null && !sighting.seen.some((name) => name.startsWith('transaction:'))
  );
}

/** Whether a transaction's own confirmation is what stands here. */
export function standsFor(sighting: Sighting, transactionId: TransactionId): boolean {
  return (
    sighting.entryId !== null && sighting.seen.some((name) => name.endsWith(`:${transactionId}`))
  );
}

const CONFIRMATION = 'confirmation:';

/** The count in the name of a confirmation, in digits; empty in that of any other event. */
function countIn(name: string): string {
  const at = name.startsWith(TOLD_BY_API) ? TOLD_BY_API.length : 0;
  if (!name.startsWith(CONFIRMATION, at)) return '';
  const from = at + CONFIRMATION.length;
  return name.slice(from, name.indexOf(':', from));
}

/** Which of two whole numbers is greater, in digits and without leading zeros. */
function isGreater(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length;
}

/** Whether a confirmation with a higher count was seen in this epoch. */
export function hasSeenDeeper(sighting: Sighting, count: number): boolean {
  const digits = String(count);
  return sighting.seen.some((name) => isGreater(countIn(name), digits));
}
