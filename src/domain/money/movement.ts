import { plus, ZERO, type Amount } from './amount.ts';
import type { View } from './entry.ts';
import type { AssetId, BlockchainHash, NetworkKey, VaultId } from '../ids.ts';

/** Identifies a movement: one hash and asset in one vault. */
export interface MovementKey {
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly asset: AssetId;
}

/**
 * One hash's movement of one asset in one vault, in the books and in the chain view. Conservation
 * (spec, "Conservation rules") compares this sum and never single entries.
 */
export interface Movement extends MovementKey {
  readonly books: Amount;
  readonly chain: Amount;
  /** The custody API's sum since the books last moved; null when the API gave none. */
  readonly custody: Amount | null;
  /** Whether any entry was ever posted on that side: a sum of zero does not say. */
  readonly onBooks: boolean;
  readonly onChain: boolean;
  readonly changedAt: number;
  /**
   * Whether a run compared it: `never`; `now`, in its current state; or `before` its last change.
   */
  readonly compared: 'never' | 'now' | 'before';
}

/**
 * How books, chain view and custody API agree, at any time.
 *
 * | agreement | is |
 * |---|---|
 * | `agrees` | books and chain view have equal sums, or neither has any |
 * | `custody_agrees` | no chain view; the custody API's sum equals the books' |
 * | `differs` | the books' sum differs from the chain view's or, without one, from the custody API's |
 * | `chain_only` | the books never had an entry |
 * | `books_only` | no chain view, and no sum from the custody API yet |
 */
export type MovementAgreement =
  'agrees' | 'custody_agrees' | 'differs' | 'chain_only' | 'books_only';

/** A movement without any entry. `at`: Unix milliseconds. */
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
    compared: 'never',
  };
}

/** The movement after a change: the next run compares it again. */
export function changedSince(movement: Movement): Movement {
  return movement.compared === 'now' ? { ...movement, compared: 'before' } : movement;
}

/** Whether the sides differ. Past the grace period that is a break. */
export function isAtOdds(movement: Movement): boolean {
  const agreement = agreementOf(movement);
  return agreement === 'differs' || agreement === 'chain_only';
}

/** The movement after an entry changed one view by `amount`. `at`: Unix milliseconds. */
export function moved(
  movement: Movement,
  change: { view: View; amount: Amount; at: number },
): Movement {
  const { view, amount, at } = change;
  const after = { ...changedSince(movement), changedAt: at };
  return view === 'books'
    ? // The API’s sum was for the previous books.
      { ...after, books: plus(movement.books, amount), onBooks: true, custody: null }
    : { ...after, chain: plus(movement.chain, amount), onChain: true };
}

/** Whether the books moved without a chain view, so that the custody API is asked. */
export function lacksChainView(movement: Movement): boolean {
  return movement.onBooks && !movement.onChain;
}

/**
 * The movement after the custody API gave a sum. `whole`: the sum covers everything that the API
 * knows of the hash in the vault. A partial sum counts only when it equals the books. Null when
 * nothing changes.
 */
export function withCustodySum(
  movement: Movement,
  custody: { sum: Amount; whole: boolean },
): Movement | null {
  if (!lacksChainView(movement) || movement.custody === custody.sum) return null;
  if (!custody.whole && movement.books !== custody.sum) return null;
  return { ...changedSince(movement), custody: custody.sum };
}

/** How the sides of a movement agree (spec, "Conservation rules"). */
export function agreementOf(movement: Movement): MovementAgreement {
  if (movement.books === movement.chain) return 'agrees';
  if (!movement.onChain) {
    if (movement.custody === null) return 'books_only';
    return movement.books === movement.custody ? 'custody_agrees' : 'differs';
  }
  return movement.onBooks ? 'differs' : 'chain_only';
}
