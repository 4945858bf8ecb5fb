import { sql, type RawBuilder } from 'kysely';
import { ignoresCase, spellingOf } from '../../../../domain/chain/network-address.ts';

/** The condition of deposits at an on-chain address, whatever its spelling. */
export function atNetworkAddress(networkAddress: string): RawBuilder<boolean> {
  const spelling = spellingOf(networkAddress);
  return ignoresCase(networkAddress)
    ? sql<boolean>`lower(network_address) = ${spelling}`
    : sql<boolean>`network_address = ${spelling}`;
}
