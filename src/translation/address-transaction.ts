import type { AddressMovement } from '../domain/chain/address-evidence.ts';
import { BlockchainHash, NetworkKey, type AddressId, type VaultId } from '../domain/ids.ts';
import type { AddressTransaction } from '../wire/transaction.ts';
import { changesOf } from './balance-change.ts';
import { timeOf } from './time.ts';

/** A time as text or as Unix milliseconds; the spec shows neither. */
function minedAtOf(timestamp: unknown): number | null {
  if (typeof timestamp === 'string') return timeOf(timestamp);
  return typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : null;
}

/**
 * A row of an address's list in domain terms, reduced to the changes of that address. `changes` is
 * null while the list omits them (the specification, section "Conservation rules", 6). `minedAt` is
 * Unix milliseconds, null when unreadable. Throws as `changesOf` does.
 */
export function addressMovementOf(
  wire: AddressTransaction,
  { vaultId, addressId }: { vaultId: VaultId; addressId: AddressId },
): AddressMovement {
  const changes = changesOf(wire.balanceChanges, { accountId: null, addressId });
  return {
    vaultId,
    addressId,
    network: NetworkKey(wire.network),
    blockchainHash: BlockchainHash(wire.blockchainHash),
    status: wire.status,
    changes: changes?.filter((change) => change.addressId === addressId) ?? null,
    minedAt: minedAtOf(wire.timestamp),
  };
}
