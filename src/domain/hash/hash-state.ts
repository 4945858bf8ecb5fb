import type { CreditItem } from '../deposit/credit.ts';
import type { CreditingPolicy } from '../policy/policy.ts';
import type { Deposit } from '../deposit/deposit.ts';
import type { Entry, EntrySource } from '../money/entry.ts';
import type { Finding } from '../break/break.ts';
import type { AssetId, IdMint, HashKey } from '../ids.ts';
import { countsAsOwn, sameHash, type NamedHash, type OwnHash } from '../withdrawal/own-hash.ts';
import type { Sighting, SightingKey } from './sighting.ts';
import { sameKey } from './sighting.ts';
import type { Withdrawal } from '../withdrawal/withdrawal.ts';

/**
 * Everything known about one hash on one network, in every vault: the records that a handler reads.
 * It spans vaults because a transfer between own vaults arrives as `incoming` in one vault,
 * possibly before the other vault's outgoing side is known.
 */
export interface HashState {
  readonly sightings: readonly Sighting[];
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  /** Own outgoing transactions that have this hash, claimed or confirmed. */
  readonly ownHashes: readonly OwnHash[];
}

/** A hash state with its hash. */
export type KeyedHashState = HashState & HashKey;

export const EMPTY_HASH_STATE: HashState = {
  sightings: [],
  deposits: [],
  withdrawals: [],
  ownHashes: [],
};

/** The state of one hash; an empty state when the list does not hold it or the hash is null. */
export function hashStateOf(hashes: readonly KeyedHashState[], hash: NamedHash): HashState {
  return hashes.find((one) => sameHash(one, hash)) ?? EMPTY_HASH_STATE;
}

/** The sighting of a hash state under this key, or undefined. */
export function sightingIn(hashState: HashState, key: SightingKey): Sighting | undefined {
  return hashState.sightings.find((sighting) => sameKey(sighting, key));
}

/**
 * Whether the hash belongs to an own outgoing transaction, now or before a replacement. A webhook's
 * claim alone counts until the custody API denies it: nothing is credited while in doubt.
 */
export function isOwnHash({ ownHashes }: Pick<HashState, 'ownHashes'>): boolean {
  return ownHashes.some(countsAsOwn);
}

/**
 * What a handler receives beside the hash state. Handlers have no clock, no randomness and no
 * store.
 */
export interface RuleContext {
  /** When the fact was recorded, Unix milliseconds. */
  readonly at: number;
  /** The kind of the fact; its entries carry this as their source. */
  readonly source: EntrySource;
  readonly mint: IdMint;
  readonly policy: CreditingPolicy;
  /** Decimals pinned at the asset's first sighting; undefined when no notification carried any. */
  readonly pinnedDecimals: (asset: AssetId) => number | undefined;
}

/**
 * What a handler wants written. Records replace records of the same key; entries and feed items are
 * appended.
 */
export interface ChangeSet {
  readonly sightings: readonly Sighting[];
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  readonly ownHashes: readonly OwnHash[];
  readonly entries: readonly Entry[];
  readonly items: readonly CreditItem[];
  readonly found: readonly Finding[];
  /** Keys of breaks to resolve, each with the reason. */
  readonly healed: readonly { readonly key: string; readonly reason: string }[];
  readonly pinned: readonly { readonly asset: AssetId; readonly decimals: number }[];
}

export const NO_CHANGES: ChangeSet = {
  sightings: [],
  deposits: [],
  withdrawals: [],
  ownHashes: [],
  entries: [],
  items: [],
  found: [],
  healed: [],
  pinned: [],
};

/** A change set with empty lists for every omitted member. */
export function changeSet(some: Partial<ChangeSet>): ChangeSet {
  return {
    sightings: some.sightings ?? [],
    deposits: some.deposits ?? [],
    withdrawals: some.withdrawals ?? [],
    ownHashes: some.ownHashes ?? [],
    entries: some.entries ?? [],
    items: some.items ?? [],
    found: some.found ?? [],
    healed: some.healed ?? [],
    pinned: some.pinned ?? [],
  };
}

/** Whether a change set writes nothing. */
export function isEmpty(all: ChangeSet): boolean {
  return Object.values(all).every((list: readonly unknown[]) => list.length === 0);
}
