import { base58 } from '@scure/base';
import type { Random } from '../state/random.ts';
import type { NetworkConfig } from '../world/network-config.ts';

/** A new transaction hash in the notation of the network. */
export function freshHash(network: NetworkConfig, random: Random): string {
  const bytes = random.block();
  switch (network.hash) {
    case 'hex':
      return bytes.toString('hex');
    case 'HEX':
      return bytes.toString('hex').toUpperCase();
    case '0xhex':
      return `0x${bytes.toString('hex')}`;
    case 'base58':
      return base58.encode(bytes);
    default:
      return network.hash satisfies never;
  }
}
