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
import {
  addEvent,
  deepestConfirmation,
  includesEvent,
  NOTHING_SEEN,
  type SeenEvents,
  type Teller,
} from './seen-events.ts';

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
  readonly seen: SeenEvents;
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

/** Without a spread: an object so wide that is made by one is slow to make and to read. */
function sightingOf(key: SightingKey, told: Omit<Sighting, keyof SightingKey>): Sighting {
  return {
    network: key.network,
    blockchainHash: key.blockchainHash,
    vaultId: key.vaultId,
    stream: key.stream,
    accountId: key.accountId,
    addressId: key.addressId,
    memo: key.memo,
    epoch: told.epoch,
    seen: told.seen,
    entryId: told.entryId,
    posted: told.posted,
  };
}

export function newSighting(key: SightingKey): Sighting {
  return sightingOf(key, { epoch: 0, seen: NOTHING_SEEN, entryId: null, posted: [] });
}

/**
 * Whether this is the same content under another id. A `rollback` in an epoch that holds no
 * evidence repeats the one that opened it; the very first thing ever seen of a hash is never a
 * repeat, even when it is a rollback.
 */
export function isRepeat(sighting: Sighting, notification: Notification): boolean {
  if (notification.type === 'rollback') return sighting.seen.length === 0;
  return includesEvent(sighting.seen, notification, 'webhook');
}

function tellerOf(source: EntrySource): Teller {
  return source === 'api' ? 'api' : 'webhook';
}

/** The sighting after this event. A rollback closes the epoch: the same counts may climb again. */
export function withEvent(
  sighting: Sighting,
  notification: Notification,
  source: EntrySource,
): Sighting {
  const { entryId, posted } = sighting;
  const isRollback = notification.type === 'rollback';
  const epoch = isRollback ? sighting.epoch + 1 : sighting.epoch;
  const seen = isRollback ? NOTHING_SEEN : addEvent(sighting.seen, notification, tellerOf(source));
  return sightingOf(sighting, { epoch, seen, entryId, posted });
}

/** The sighting with the ledger entry that stands for it from now on, or with none. */
export function standingAs(
  sighting: Sighting,
  { entryId, posted }: Pick<Sighting, 'entryId' | 'posted'>,
): Sighting {
  const { epoch, seen } = sighting;
  return sightingOf(sighting, { epoch, seen, entryId, posted });
}

/** The sighting after the custody API's record has put right what webhooks told of it. */
export function correctedAs(
  sighting: Sighting,
  notification: Notification,
  { entryId, posted }: Pick<Sighting, 'entryId' | 'posted'>,
): Sighting {
  const seen = addEvent(sighting.seen, notification, 'correction');
  return sightingOf(sighting, { epoch: sighting.epoch, seen, entryId, posted });
}

/** Whether the custody API's record stands here in this epoch: no webhook may state it otherwise. */
export function isCorrected(sighting: Sighting): boolean {
  return sighting.seen.some(({ toldBy }) => toldBy === 'correction');
}

/** Whether what stands in the chain view rests on the API's word alone, no `transaction` having come. */
export function isToldByApi(sighting: Sighting): boolean {
  return (
    sighting.entryId !== null &&
    !sighting.seen.some(({ type, toldBy }) => type === 'transaction' && toldBy === 'webhook')
  );
}

/** Whether a transaction's own confirmation is what stands here. */
export function standsFor(sighting: Sighting, transactionId: TransactionId): boolean {
  return (
    sighting.entryId !== null && sighting.seen.some((run) => run.transactionId === transactionId)
  );
}

/** Whether a confirmation with a higher count was seen in this epoch. */
export function hasSeenDeeper(sighting: Sighting, count: number): boolean {
  const deepest = deepestConfirmation(sighting.seen);
  return deepest !== null && deepest > count;
}
