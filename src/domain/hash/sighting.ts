import type { EntrySource } from '../money/entry.ts';
import type {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../ids.ts';
import type { BalanceChange, Notification } from '../fact/notification.ts';
import {
  addEvent,
  deepestConfirmation,
  includesEvent,
  NO_EVENTS,
  type EventHistory,
  type EvidenceSource,
} from './event-history.ts';

/**
 * Identifies a sighting: one per stream and receiving position. The spec's bare `(blockchainHash,
 * type, confirmations)` cannot distinguish events, because one hash can pay several vaults,
 * addresses and memos.
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

/** What one stream reported about a hash at one position. */
export interface Sighting extends SightingKey {
  /** How many times the hash was rolled back here. A hash that is mined again is a new epoch. */
  readonly epoch: number;
  /** When the rollback that began this epoch arrived, Unix milliseconds; null in the first epoch. */
  readonly rolledBackAt: number | null;
  /** Events of this epoch: the second layer of deduplication. */
  readonly seen: EventHistory;
  /** The ledger entry that this sighting posted and nothing has reversed; null without one. */
  readonly entryId: number | null;
  /** The balance changes of that entry, kept here so that a reversal needs no other record. */
  readonly posted: readonly BalanceChange[];
}

type HashedNotification = Notification & {
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
};

/**
 * Whether the second layer of deduplication applies (the specification, section "Delivery rules",
 * 1). Events without a hash repeat legitimately.
 */
export function hasHash(notification: Notification): notification is HashedNotification {
  return notification.blockchainHash !== null && notification.network !== null;
}

/**
 * The key of a notification's sighting. The `blockchain` stream has one sighting per hash and
 * vault.
 */
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

/** Whether two keys identify the same sighting. */
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

/** A sighting without events and without an entry. */
export function newSighting(key: SightingKey): Sighting {
  return {
    network: key.network,
    blockchainHash: key.blockchainHash,
    vaultId: key.vaultId,
    stream: key.stream,
    accountId: key.accountId,
    addressId: key.addressId,
    memo: key.memo,
    epoch: 0,
    rolledBackAt: null,
    seen: NO_EVENTS,
    entryId: null,
    posted: [],
  };
}

/**
 * Whether a notification repeats known content under another id. A `rollback` in an epoch without
 * events repeats the rollback that opened the epoch. The first event of a hash is never a repeat,
 * even when it is a rollback.
 */
export function isRepeat(sighting: Sighting, notification: Notification): boolean {
  if (notification.type === 'rollback') return sighting.seen.length === 0;
  return includesEvent(sighting.seen, notification, 'webhook');
}

function evidenceSourceOf(source: EntrySource): EvidenceSource {
  return source === 'api' ? 'api' : 'webhook';
}

/**
 * The sighting after this event. A rollback ends the epoch, so the same counts may come again. `at`:
 * Unix milliseconds.
 */
export function withEvent(
  sighting: Sighting,
  notification: Notification,
  { at, source }: { at: number; source: EntrySource },
): Sighting {
  if (notification.type === 'rollback') {
    return { ...sighting, epoch: sighting.epoch + 1, rolledBackAt: at, seen: NO_EVENTS };
  }
  const seen = addEvent(sighting.seen, notification, evidenceSourceOf(source));
  return { ...sighting, seen };
}

/** The sighting with another active ledger entry, or with none. */
export function withEntry(
  sighting: Sighting,
  { entryId, posted }: Pick<Sighting, 'entryId' | 'posted'>,
): Sighting {
  return { ...sighting, entryId, posted };
}

/** The sighting after the custody API's record corrected it. */
export function correctedAs(
  sighting: Sighting,
  notification: Notification,
  { entryId, posted }: Pick<Sighting, 'entryId' | 'posted'>,
): Sighting {
  const seen = addEvent(sighting.seen, notification, 'correction');
  return { ...sighting, seen, entryId, posted };
}

/**
 * Whether the custody API's record corrected this epoch. Webhooks of the epoch then change no
 * amount.
 */
export function isCorrected(sighting: Sighting): boolean {
  return sighting.seen.some(({ source }) => source === 'correction');
}

/**
 * Whether the active chain-view entry comes from the custody API alone, without a `transaction`
 * webhook.
 */
export function isFromApiAlone(sighting: Sighting): boolean {
  return (
    sighting.entryId !== null &&
    !sighting.seen.some(({ type, source }) => type === 'transaction' && source === 'webhook')
  );
}

/** Whether the active entry comes from a confirmation of this transaction. */
export function isPostedFor(sighting: Sighting, transactionId: TransactionId): boolean {
  return (
    sighting.entryId !== null && sighting.seen.some((run) => run.transactionId === transactionId)
  );
}

/** Whether this epoch has a confirmation with a higher count. */
export function hasSeenDeeper(sighting: Sighting, count: number): boolean {
  return (deepestConfirmation(sighting.seen) ?? count) > count;
}
