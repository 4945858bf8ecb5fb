import type { HashKey, TransactionId } from './ids.ts';

/**
 * How sure it is that a hash belongs to an own outgoing transaction.
 *
 * | standing | is | left when |
 * |---|---|---|
 * | `told` | named by a webhook, which is unsigned: no deposit of it is credited while in doubt | the custody API speaks |
 * | `confirmed` | the custody API knows the transaction under this hash | never: it may be sent again under another |
 * | `refuted` | the custody API knows the transaction under another hash, or not at all | the API names it after all |
 * | `disowned` | the custody API, asked for the hash, knows no own transaction under it, and has never shown this one | the API names it after all |
 */
export type OwnHashStanding = 'told' | 'confirmed' | 'refuted' | 'disowned';

/** A hash that an own outgoing transaction has, or is said to have. */
export interface OwnHash extends HashKey {
  readonly transactionId: TransactionId;
  readonly standing: OwnHashStanding;
}

/** Whether a hash counts as our own by this: nothing is credited while in doubt. */
export function isHeeded({ standing }: Pick<OwnHash, 'standing'>): boolean {
  return standing === 'told' || standing === 'confirmed';
}

/**
 * Whether the custody API was asked for the hash, and knows no own transaction under it. What a
 * transaction's hash is never changes hands, so this holds for whatever is told of it later.
 */
export function isDisowned(ownHashes: readonly Pick<OwnHash, 'standing'>[]): boolean {
  return ownHashes.some(({ standing }) => standing === 'disowned');
}

/** A hash as a record names it that may have none yet. */
export type NamedHash = { readonly [Key in keyof HashKey]: HashKey[Key] | null };

export function sameHash(left: HashKey, right: NamedHash): boolean {
  return left.blockchainHash === right.blockchainHash && left.network === right.network;
}

/** The list with this one in the place of the same transaction's at the same hash. */
export function withOwnHash(list: readonly OwnHash[], own: OwnHash): OwnHash[] {
  const others = list.filter(
    (one) => one.transactionId !== own.transactionId || !sameHash(one, own),
  );
  return [...others, own];
}
