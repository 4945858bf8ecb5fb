import type { CreditItem } from './credit.ts';
import type { CreditingPolicy } from './crediting.ts';
import type { Deposit } from './deposit.ts';
import type { Entry, EntrySource } from './entry.ts';
import type { Finding } from './break.ts';
import type { AssetId, IdMint } from './ids.ts';
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
}

export const EMPTY_DOSSIER: Dossier = { sightings: [], deposits: [], withdrawals: [] };

export function sightingIn(dossier: Dossier, key: SightingKey): Sighting | undefined {
  return dossier.sightings.find((sighting) => sameKey(sighting, key));
}

/**
 * Whether the hash belongs to an own outgoing transaction: one that has it now, or one that had it
 * before it was sent again under another.
 */
export function isOwnHash(dossier: Dossier): boolean {
  return (
    dossier.withdrawals.length > 0 ||
    dossier.sightings.some((sighting) => sighting.stream === 'outgoing')
  );
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
  entries: [],
  items: [],
  found: [],
  healed: [],
  pinned: [],
};

export function changes(some: Partial<Changes>): Changes {
  return { ...NO_CHANGES, ...some };
}

export function isEmpty(all: Changes): boolean {
  return Object.values(all).every((list: readonly unknown[]) => list.length === 0);
}
