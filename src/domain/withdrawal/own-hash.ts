import type { HashKey, TransactionId } from '../ids.ts';

/**
 * How certain it is that a hash belongs to an own outgoing transaction.
 *
 * | certainty | is | left when |
 * |---|---|---|
 * | `claimed` | said by an unsigned webhook alone: no deposit of it is credited while in doubt | the custody API answers |
 * | `confirmed` | the custody API knows the transaction under this hash | never: a replacement has another hash |
 * | `refuted` | the custody API knows the transaction under another hash, or not at all | the API names this hash |
 * | `disowned` | the custody API knows no own transaction under the hash, and never showed this one | the API names this hash |
 */
export type OwnHashCertainty = 'claimed' | 'confirmed' | 'refuted' | 'disowned';

/** A hash that an own outgoing transaction has, or that a webhook claims for it. */
export interface OwnHash extends HashKey {
  readonly transactionId: TransactionId;
  readonly certainty: OwnHashCertainty;
}

/** Whether the claim counts: nothing is credited while in doubt. */
export function countsAsOwn({ certainty }: Pick<OwnHash, 'certainty'>): boolean {
  return certainty === 'claimed' || certainty === 'confirmed';
}

/**
 * Whether the custody API knows no own transaction under the hash. A hash never changes hands, so
 * this also holds for later claims.
 */
export function isDisowned(ownHashes: readonly Pick<OwnHash, 'certainty'>[]): boolean {
  return ownHashes.some(({ certainty }) => certainty === 'disowned');
}

/** A record's hash, which may be null. */
export type NamedHash = { readonly [Key in keyof HashKey]: HashKey[Key] | null };

/** Whether a record names this hash. */
export function sameHash(left: HashKey, right: NamedHash): boolean {
  return left.blockchainHash === right.blockchainHash && left.network === right.network;
}

/** The list with this own hash replacing the same transaction's at the same hash. */
export function withOwnHash(list: readonly OwnHash[], own: OwnHash): OwnHash[] {
  const others = list.filter(
    (one) => one.transactionId !== own.transactionId || !sameHash(one, own),
  );
  return [...others, own];
}
