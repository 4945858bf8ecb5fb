import {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  VaultId,
} from '../../../../domain/ids.ts';
import type { Sighting } from '../../../../domain/hash/sighting.ts';
import { packPosted, packSeen, unpackPosted, unpackSeen } from '../../../codec/sighting.ts';
import type { SightingRow } from '../tables.ts';

/** A key column as a branded id; key columns hold '' for the domain's null. */
export function keyOrNull<Id>(brand: (value: string) => Id, value: string): Id | null {
  return value === '' ? null : brand(value);
}

/** The columns that name a row's hash. */
interface HashName {
  readonly network: string;
  readonly blockchain_hash: string;
}

/** Reads a sighting from its row. */
export function sightingOf(row: SightingRow & HashName): Sighting {
  const accountId = keyOrNull(AccountId, row.account_id);
  const addressId = keyOrNull(AddressId, row.address_id);
  const memo = keyOrNull(Memo, row.memo);
  return {
    network: NetworkKey(row.network),
    blockchainHash: BlockchainHash(row.blockchain_hash),
    vaultId: VaultId(row.vault_id),
    stream: row.stream as Sighting['stream'],
    accountId,
    addressId,
    memo,
    epoch: row.epoch,
    rolledBackAt: row.rolled_back_at,
    seen: unpackSeen(JSON.parse(row.seen)),
    entryId: row.entry_id,
    posted: unpackPosted(JSON.parse(row.posted), { accountId, addressId, memo }),
  };
}

/** The row of a sighting; key columns hold '' for null. */
export function sightingRow(sighting: Sighting, hashId: number): SightingRow {
  return {
    hash_id: hashId,
    vault_id: sighting.vaultId,
    stream: sighting.stream,
    account_id: sighting.accountId ?? '',
    address_id: sighting.addressId ?? '',
    memo: sighting.memo ?? '',
    epoch: sighting.epoch,
    rolled_back_at: sighting.rolledBackAt,
    seen: JSON.stringify(packSeen(sighting.seen)),
    entry_id: sighting.entryId,
    posted: JSON.stringify(packPosted(sighting.posted, sighting)),
  };
}
