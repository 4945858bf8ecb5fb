import { ZERO, type Amount } from './amount.ts';
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
  /** Whether anything was ever posted on that side; a sum of zero does not tell. */
  readonly onBooks: boolean;
  readonly onChain: boolean;
  readonly changedAt: number;
}

/**
 * How the two sides stand to each other, whatever the time.
 * `agrees`: equal sums, told by both (or nothing left on either).
 */
export type MovementStanding = 'agrees' | 'differs' | 'chain_only' | 'books_only';

export function newMovement(key: MovementKey, at: number): Movement {
  return { ...key, books: ZERO, chain: ZERO, onBooks: false, onChain: false, changedAt: at };
}

export function moved(
  movement: Movement,
  change: { view: View; amount: Amount; at: number },
): Movement {
  const { view, amount, at } = change;
  return view === 'books'
    ? { ...movement, books: (movement.books + amount) as Amount, onBooks: true, changedAt: at }
    : { ...movement, chain: (movement.chain + amount) as Amount, onChain: true, changedAt: at };
}

export function standingOf(movement: Movement): MovementStanding {
  if (movement.books === movement.chain) return 'agrees';
  if (!movement.onChain) return 'books_only';
  return movement.onBooks ? 'differs' : 'chain_only';
}
