import { plus, ZERO, type Amount } from './amount.ts';
import type { View } from './entry.ts';
import type { AssetId, BlockchainHash, NetworkKey, VaultId } from './ids.ts';

export interface MovementKey {
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly asset: AssetId;
}

/**
 * One hash's movement of one asset on one vault, as the books tell it and as the chain view tells
 * it. Conservation (spec, "Conservation rules") holds by this sum and never entry by entry.
 */
export interface Movement extends MovementKey {
  readonly books: Amount;
  readonly chain: Amount;
  /** The custody API's sum, where it told one since the books last moved; null where it did not. */
  readonly custody: Amount | null;
  /** Whether anything was ever posted on that side; a sum of zero does not tell. */
  readonly onBooks: boolean;
  readonly onChain: boolean;
  readonly changedAt: number;
  /** When a run judged it: `never`; `now`, as it is; or `before` it changed last. */
  readonly judged: 'never' | 'now' | 'before';
}

/**
 * How the sides stand to each other, whatever the time.
 *
 * | standing | is |
 * |---|---|
 * | `agrees` | equal sums, told by books and chain view (or nothing left on either) |
 * | `custody_agrees` | no chain view, and the custody API's sum is the books' |
 * | `differs` | the books' sum is not the chain view's or, where there is none, the custody API's |
 * | `chain_only` | nothing was ever posted on the books |
 * | `books_only` | no chain view, and the custody API was not asked yet |
 */
export type MovementStanding =
  'agrees' | 'custody_agrees' | 'differs' | 'chain_only' | 'books_only';

export function newMovement(key: MovementKey, at: number): Movement {
  const { vaultId, network, blockchainHash, asset } = key;
  return {
    vaultId,
    network,
    blockchainHash,
    asset,
    books: ZERO,
    chain: ZERO,
    custody: null,
    onBooks: false,
    onChain: false,
    changedAt: at,
    judged: 'never',
  };
}

/** A movement that has changed since a run judged it. */
export function changedSince(movement: Movement): Movement {
  return movement.judged === 'now' ? { ...movement, judged: 'before' } : movement;
}

/** Whether the two sides differ, so that past the grace period it is a break. */
export function isAtOdds(movement: Movement): boolean {
  const standing = standingOf(movement);
  return standing === 'differs' || standing === 'chain_only';
}

export function moved(
  movement: Movement,
  change: { view: View; amount: Amount; at: number },
): Movement {
  const { view, amount, at } = change;
  const after = { ...changedSince(movement), changedAt: at };
  return view === 'books'
    ? // What the API said was about the sum before.
      { ...after, books: plus(movement.books, amount), onBooks: true, custody: null }
    : { ...after, chain: plus(movement.chain, amount), onChain: true };
}

/** Whether the chain view is silent about what the books moved: then the custody API is asked. */
export function lacksChainView(movement: Movement): boolean {
  return movement.onBooks && !movement.onChain;
}

/**
 * The movement after the custody API told its sum. `whole`: the sum is of everything that the API
 * knows of the hash in the vault; one row's sum settles what it equals and says nothing where it
 * does not. Null when nothing follows.
 */
export function toldByCustody(
  movement: Movement,
  told: { sum: Amount; whole: boolean },
): Movement | null {
  if (!lacksChainView(movement) || movement.custody === told.sum) return null;
  if (!told.whole && movement.books !== told.sum) return null;
  return { ...changedSince(movement), custody: told.sum };
}

export function standingOf(movement: Movement): MovementStanding {
  if (movement.books === movement.chain) return 'agrees';
  if (!movement.onChain) {
    if (movement.custody === null) return 'books_only';
    return movement.books === movement.custody ? 'custody_agrees' : 'differs';
  }
  return movement.onBooks ? 'differs' : 'chain_only';
}
