import type { HashKey, TransactionId } from './ids.ts';

/**
 * How sure it is that a hash belongs to an own outgoing transaction.
 *
 * | standing | is | left when |
 * |---|---|---|
 * | `told` | named by a webhook, which is unsigned: no deposit of it is credited while in doubt | the custody API speaks |
 * | `confirmed` | the custody API knows the transaction under this hash | never: it may be sent again under another |
 * | `refuted` | the custody API knows the transaction under another hash, or not at all | the API names it after all |
 */
export type OwnHashStanding = 'told' | 'confirmed' | 'refuted';

/** A hash that an own outgoing transaction has, or is said to have. */
export interface OwnHash extends HashKey {
  readonly transactionId: TransactionId;
  readonly standing: OwnHashStanding;
}

export function sameHash(
  left: HashKey,
  right: { readonly [Key in keyof HashKey]: HashKey[Key] | null },
): boolean {
  return left.blockchainHash === right.blockchainHash && left.network === right.network;
}

/** The list with this one in the place of the same transaction's at the same hash. */
export function withOwnHash(list: readonly OwnHash[], own: OwnHash): OwnHash[] {
  const others = list.filter(
    (one) => one.transactionId !== own.transactionId || !sameHash(one, own),
  );
  return [...others, own];
}
