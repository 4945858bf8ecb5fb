import { sql, type RawBuilder } from 'kysely';
import { ignoresCase, spellingOf } from '../../../../domain/chain/network-address.ts';

/** The on-chain address of a deposit's row (`onChainAddressOf`). */
const ADDRESS = sql`coalesce(network_address, reported_address)`;

/** The condition of deposits at an on-chain address, whatever its spelling. */
export function atNetworkAddress(networkAddress: string): RawBuilder<boolean> {
  const spelling = spellingOf(networkAddress);
  return ignoresCase(networkAddress)
    ? sql<boolean>`lower(${ADDRESS}) = ${spelling}`
    : sql<boolean>`${ADDRESS} = ${spelling}`;
}
