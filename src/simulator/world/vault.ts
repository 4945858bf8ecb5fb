import type { Refused } from './outcome.ts';

export type CustomData = Record<string, unknown>;

export type SourceLevel = 'address' | 'account' | 'vault';

export interface VaultRequest {
  name: string;
  /** Source level of orders that name neither an address nor an account; default `vault`. */
  source?: SourceLevel;
  /** Approvals needed; default 0: no quorum. */
  quorum?: number;
  /** Client ids; at least as many as `quorum`. */
  approvers?: readonly string[];
  externalSigner?: boolean;
  masterApproval?: { approvers: readonly string[] };
}

export interface VaultRecord {
  vaultId: string;
  name: string;
  /** Null: the request chose none. */
  source: SourceLevel | null;
  quorum: number;
  approvers: readonly string[];
  externalSigner: boolean;
  masterApproval: { approvers: readonly string[] } | null;
  createdAt: string;
}

/**
 * A new vault. `externalSigner.xprv` is returned only here: the core keeps the public half. Paths
 * of such a vault are unhardened and relative to this key. Refused: `BR-1` quorum without enough
 * approvers.
 */
export type VaultCreation =
  { kind: 'created'; record: VaultRecord; externalSigner?: { xprv: string } } | Refused;

export interface AccountRequest {
  vaultId: string;
  name: string;
  data?: CustomData;
}

export interface AccountRecord {
  id: string;
  accountId: string;
  vaultId: string;
  name: string;
  data: CustomData;
  createdAt: string;
}

export interface AddressRequest {
  accountId: string;
  network: string;
  name?: string;
  hdpath?: string;
  data?: CustomData;
}

export interface AddressRecord {
  id: string;
  addressId: string;
  accountId: string;
  vaultId: string;
  network: string;
  networkAddress: string;
  hdpath: string;
  name: string;
  data: CustomData;
  createdAt: string;
}

export interface AddressScope {
  vaultId?: string;
  accountId?: string;
  network?: string;
  networkAddress?: string;
}

export interface MemoRequest {
  addressId: string;
  memo: string;
  name?: string;
  data?: CustomData;
}

export interface MemoRecord {
  id: string;
  memoId: string;
  addressId: string;
  accountId: string;
  vaultId: string;
  memo: string;
  name: string;
  data: CustomData;
  createdAt: string;
}
