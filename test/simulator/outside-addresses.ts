/** An address on each network that custody does not own. */
export const OUTSIDE = {
  bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  litecoin: 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea',
  ethereum: '0x000000000000000000000000000000000000dEaD',
  polygon: '0x000000000000000000000000000000000000dEaD',
  tron: 'TA4Y62o6YC2Zsck9rZVGTvqW1AQ7X9zTnj',
  ripple: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  stellar: 'GAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSABOV',
  neo: 'NL1JGjDe22U44R57ZXVSeRa4T7Jo1HDLF4',
  sui: `0x${'5a'.repeat(32)}`,
} as const;

/** The outside address on a network of this key. */
export function outsideOn(network: string): string {
  const found = Object.entries(OUTSIDE).find(([key]) => key === network);
  // Unknown networks have no addresses. Their orders are refused for another reason.
  return found?.[1] ?? 'nowhere';
}
