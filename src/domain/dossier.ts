import type { CreditItem } from './credit.ts';
import type { CreditingPolicy } from './crediting.ts';
import type { Deposit } from './deposit.ts';
import type { Entry, EntrySource } from './entry.ts';
import type { Finding } from './break.ts';
import type { AssetId, IdMint, HashKey } from './ids.ts';
import { isHeeded, sameHash, type NamedHash, type OwnHash } from './own-hash.ts';
import type { Sighting, SightingKey } from './sighting.ts';
import { sameKey } from './sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

/**
 * Everything known about one hash on one network, in every vault: what a rule may look at. A hash
 * is looked at across vaults because a transfer between own vaults arrives at one of them as
 * `incoming`, perhaps before its outgoing side is known.
 */
export interface Dossier {
  readonly sightings: readonly Sighting[];
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  /** Which own outgoing transactions have the hash, or are said to have it. */
  readonly ownHashes: readonly OwnHash[];
}

/** A dossier with the hash that it is about. */
export type HashDossier = Dossier & HashKey;

export const EMPTY_DOSSIER: Dossier = {
  sightings: [],
  deposits: [],
  withdrawals: [],
  ownHashes: [],
};

/** Of these dossiers the one of a hash; an empty one where it is not among them, or there is none. */
export function dossierOf(hashes: readonly HashDossier[], hash: NamedHash): Dossier {
  return hashes.find((one) => sameHash(one, hash)) ?? EMPTY_DOSSIER;
}

export function sightingIn(dossier: Dossier, key: SightingKey): Sighting | undefined {
  return dossier.sightings.find((sighting) => sameKey(sighting, key));
}

/**
 * Whether the hash belongs to an own outgoing transaction: one that has it now, or one that had it
 * before it was sent again under another. What only a webhook says of it counts until the custody
 * API denies it: nothing is credited while in doubt.
 */
export function isOwnHash({ ownHashes }: Pick<Dossier, 'ownHashes'>): boolean {
  return ownHashes.some(isHeeded);
}

/** What a rule is given beside the dossier: no clock, no randomness, no store. */
export interface Circumstances {
  /** When the fact was recorded, Unix milliseconds. */
  readonly at: number;
  /** What the fact is: the entries that it posts rest on that. */
  readonly source: EntrySource;
  readonly mint: IdMint;
  readonly policy: CreditingPolicy;
  /** Decimals pinned at the asset's first sighting; undefined when never seen with any. */
  readonly pinnedDecimals: (asset: AssetId) => number | undefined;
}

/** What is to be written. Records replace those of the same key; entries and items are appended. */
export interface Changes {
  readonly sightings: readonly Sighting[];
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  readonly ownHashes: readonly OwnHash[];
  readonly entries: readonly Entry[];
  readonly items: readonly CreditItem[];
  readonly found: readonly Finding[];
  /** Keys of breaks whose difference has gone away, with the reason. */
  readonly healed: readonly { readonly key: string; readonly reason: string }[];
  readonly pinned: readonly { readonly asset: AssetId; readonly decimals: number }[];
}

export const NO_CHANGES: Changes = {
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

export function changes(some: Partial<Changes>): Changes {
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

export function isEmpty(all: Changes): boolean {
  return Object.values(all).every((list: readonly unknown[]) => list.length === 0);
}
