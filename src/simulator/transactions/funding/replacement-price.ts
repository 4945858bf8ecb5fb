import type { ChainTransaction } from '../../chain/chain-transaction.ts';

/**
 * The price factor of a replacement: twice the factor of its original, which may be a replacement
 * too.
 */
export function bidOf(original: ChainTransaction | undefined): bigint {
  const previous = original?.metadata['bid'];
  if (original === undefined) return 1n;
  return (typeof previous === 'string' ? BigInt(previous) : 1n) * 2n;
}

/** The metadata that keeps a factor above 1 for the next replacement. */
export function bidMetadata(bid: bigint): Record<string, string> {
  return bid === 1n ? {} : { bid: bid.toString() };
}
