import type { AddressId, BlockchainHash, NetworkKey, VaultId } from './ids.ts';
import type { BalanceChange } from './notification.ts';

/** What the custody API's list of an address says about one hash there. Times are Unix milliseconds. */
export interface AddressMovement {
  readonly vaultId: VaultId;
  readonly addressId: AddressId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  /** An open string: a status we do not know proves nothing. */
  readonly status: string;
  /** Those at this address alone; null where briefly omitted (spec, conservation rule 6). */
  readonly changes: readonly BalanceChange[] | null;
  /** When it was mined, by the service's clock; null where that cannot be read. */
  readonly minedAt: number | null;
}

/**
 * Whether the transactions API has a platform transaction under the hash in the vault. `unasked` is
 * enough as long as our own records explain the movement.
 */
export type Platform = 'unasked' | 'unknown';

/** What a check of an address found, as it is journalled. */
export interface AddressEvidence {
  readonly movement: AddressMovement;
  readonly platform: Platform;
  /** When the difference was first seen: nothing else dates what contradicts a notification. */
  readonly noticedAt: number;
  readonly graceMs: number;
  /** A difference that a deposit shows too is the deposit's; absent in older facts. */
  readonly joins?: true;
}
