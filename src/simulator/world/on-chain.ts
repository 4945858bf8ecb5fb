export interface NetworkInfo {
  key: string;
  name: string;
  /** Published depths, ascending. */
  confirmations: number[];
  model: 'utxo' | 'account';
  /** Networks of one family share their addresses. */
  family: string;
  nativeAsset: string;
  feeAsset: string;
  assets: { asset: string; name: string; decimals: number; type: string }[];
  memo: boolean;
  mempool: boolean;
  blockTimeSeconds: number;
}

export interface ChainTip {
  network: string;
  height: number;
  /** Hashes that wait for a block, in order of arrival. */
  mempool: string[];
}

export interface DepositOutput {
  addressId?: string;
  /** An on-chain address. It may belong to an outsider if another output pays a custody address. */
  networkAddress?: string;
  asset: string;
  amount: bigint;
  memo?: string;
  /** Ripple: the claimed amount of a partial payment, which delivers less. */
  claimedAmount?: bigint;
}

export interface DepositRequest {
  network: string;
  outputs: readonly DepositOutput[];
}

export interface ReorgRequest {
  network: string;
  depth: number;
  drop?: readonly string[];
}

export interface ReorgResult {
  height: number;
  /** Hashes that wait in the mempool again. */
  returned: string[];
  dropped: string[];
}

export interface ExternalDebitRequest {
  network: string;
  addressId: string;
  asset: string;
  amount: bigint;
  destinationAddress: string;
}

export interface TruthBalance {
  vaultId: string;
  accountId: string;
  addressId: string;
  /** Set on rows of a registered memo. */
  memo: string | null;
  asset: string;
  amount: bigint;
}

export interface TruthTransaction {
  network: string;
  blockchainHash: string;
  status: 'mempool' | 'confirmed' | 'dropped';
  reverted: boolean;
  blockHeight: number | null;
  confirmations: number;
  /** The id of the platform's outgoing transaction; null for all others. */
  transactionId: string | null;
  movements: {
    vaultId: string;
    accountId: string;
    addressId: string;
    memo: string | null;
    asset: string;
    amount: bigint;
    tags: string[];
  }[];
}

/** A block that holds transactions. Times are Unix epoch milliseconds. */
export interface BlockInfo {
  height: number;
  minedAt: number;
  confirmations: number;
  /** In the order of the block. */
  blockchainHashes: string[];
}

/** A transaction as its chain has it, whether it touches custody or not. */
export interface OnChainTransaction {
  network: string;
  blockchainHash: string;
  status: 'mempool' | 'confirmed' | 'dropped';
  reverted: boolean;
  firstSeenAt: number;
  minedAt: number | null;
  blockHeight: number | null;
  confirmations: number;
  transactionId: string | null;
  /** The hash that this transaction replaces. */
  replaces: string | null;
  metadata: Readonly<Record<string, unknown>>;
  /** `addressId` and `vaultId` are null for an address that custody does not own. */
  movements: {
    networkAddress: string;
    vaultId: string | null;
    addressId: string | null;
    memo: string | null;
    asset: string;
    amount: bigint;
    tags: string[];
  }[];
}
