import type { ChainTransaction } from '../chain/chain-transaction.ts';

/** How far a replacement raises the price: twice its original's, which may be a replacement too. */
export function bidOf(original: ChainTransaction | undefined): bigint {
  const previous = original?.metadata['bid'];
  if (original === undefined) return 1n;
  return (typeof previous === 'string' ? BigInt(previous) : 1n) * 2n;
}

/** A bid above 1 is kept in the metadata, for the next one to outbid. */
export function bidMetadata(bid: bigint): Record<string, string> {
  return bid === 1n ? {} : { bid: bid.toString() };
}
