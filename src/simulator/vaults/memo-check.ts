import type { AddressRules, NetworkConfig } from '../world/network-config.ts';
import { refused } from '../world/outcome.ts';
import type { Refused } from '../world/outcome.ts';

const DESTINATION_TAG_MAX = 2 ** 32 - 1;
const TEXT_BYTES_MAX = 28;

/** Returns why a payment on this network cannot carry the memo; undefined when it can. */
export function memoObjection(network: NetworkConfig, memo: string): Refused | undefined {
  if (!network.memo) return refused('BR-1', `Network ${network.key} has no memos`);
  if (memo === '') return refused('BR-1', 'memo must not be empty');
  const flaw = memoFlaw(network.address.format, memo);
  return flaw === undefined ? undefined : refused('BR-1', `memo ${flaw}`);
}

/** Returns the rule that the memo breaks; undefined when it is valid. */
function memoFlaw(format: AddressRules['format'], memo: string): string | undefined {
  switch (format) {
    case 'ripple':
      return /^(?:0|[1-9][0-9]{0,9})$/.test(memo) && Number(memo) <= DESTINATION_TAG_MAX
        ? undefined
        : 'must be a destination tag: a whole number below 2^32';
    case 'stellar': {
      // A memo of type id is a number, which is always shorter than the limit of a text. A hash has
      // one spelling, or one memo could have two records.
      const isHash = /^[0-9a-f]{64}$/.test(memo);
      return isHash || Buffer.byteLength(memo) <= TEXT_BYTES_MAX
        ? undefined
        : `must be at most ${TEXT_BYTES_MAX} bytes of text, or a hash of 64 hex digits in lower case`;
    }
    case 'p2wpkh':
    case 'evm':
    case 'tron':
    case 'neo':
    case 'sui':
      return undefined;
    default:
      return format satisfies never;
  }
}
