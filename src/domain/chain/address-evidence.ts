import type { AddressId, BlockchainHash, NetworkKey, VaultId } from '../ids.ts';
import type { BalanceChange } from '../fact/notification.ts';

/** One hash in the custody API's list of an address. Times are Unix milliseconds. */
export interface AddressMovement {
  readonly vaultId: VaultId;
  readonly addressId: AddressId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  /** An open string; an unknown status proves nothing. */
  readonly status: string;
  /** Changes at this address alone; null when briefly omitted (spec, conservation rule 6). */
  readonly changes: readonly BalanceChange[] | null;
  /** When it was mined, by the service's clock; null when unreadable. */
  readonly minedAt: number | null;
}

/**
 * Whether the transactions API knows a platform transaction under the hash in the vault. `unasked`
 * is enough while our own records explain the movement.
 */
export type Platform = 'unasked' | 'unknown';

/** The evidence of an address check, as journalled. */
export interface AddressEvidence {
  readonly movement: AddressMovement;
  readonly platform: Platform;
  /** When the difference was first seen, Unix milliseconds; a contradiction has no other date. */
  readonly noticedAt: number;
  readonly graceMs: number;
  /** A difference that a deposit also shows joins the deposit's break; absent in older facts. */
  readonly joins?: true;
}
