import type { AddressMovement } from '../../../src/domain/chain/address-evidence.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../src/domain/hash/hash-state.ts';
import {
  AddressId,
  AssetId,
  BlockchainHash,
  NetworkKey,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../src/domain/fact/notification.ts';
import { newSighting, type Sighting } from '../../../src/domain/hash/sighting.ts';
import { runs } from '../hash/event-runs.ts';

export const NOW = 10_000_000;
export const GRACE_MS = 600_000;
export const vaultId = VaultId('v1');
export const addressId = AddressId('a1');
export const network = NetworkKey('ethereum');
export const blockchainHash = BlockchainHash('0x1');

export function moves(amount: bigint, kind: BalanceChange['kind'] = 'transfer'): BalanceChange {
  const asset = AssetId('ethereum:ETH');
  const where = { accountId: null, addressId, memo: null, decimals: null };
  return { asset, amount: Amount(amount), kind, ...where };
}

export const OLD: AddressMovement = {
  vaultId,
  addressId,
  network,
  blockchainHash,
  status: 'confirmed',
  changes: [moves(-100n), moves(-7n, 'fee')],
  minedAt: NOW - GRACE_MS,
};

export function sighted(stream: 'blockchain' | 'incoming', more: Partial<Sighting>): HashState {
  const key = { network, blockchainHash, vaultId, stream, accountId: null, memo: null };
  return {
    ...EMPTY_HASH_STATE,
    sightings: [{ ...newSighting({ ...key, addressId: null }), ...more }],
  };
}

export const reported = { entryId: 1, seen: runs('transaction::') };
export const takenIn = { entryId: 1, seen: runs('api/transaction::') };
export const elsewhere = { ...moves(-900n), addressId: AddressId('a2') };

export const other = VaultId('v2');
