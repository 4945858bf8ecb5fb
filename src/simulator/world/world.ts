import type { ErrorCode } from '../../wire/error.ts';
import type { Approval, CancellationReason, Notification } from '../../wire/notification.ts';
import type { AddressTransaction, Transaction } from '../../wire/transaction.ts';

/**
 * The port of the world beneath the simulated custody core: vaults, chains, transactions, truth.
 * Everything above it (HTTP, credentials, delivery) talks to this interface and nothing below.
 *
 * Every method is synchronous and has finished, with all its notifications in the outbox, when it
 * returns. Ids are strings, amounts `bigint` in the asset's smallest unit; times are ISO 8601 in
 * wire-shaped records. What the API shows (`Transaction`, …) already has its wire shape.
 */
export interface World {
  /** Every network, in the order of `config/networks.json`. */
  networks(): readonly NetworkInfo[];
  /** Where each chain stands now, for the inspector. */
  chains(): readonly ChainTip[];

  createVault(request: VaultRequest): VaultCreation;
  vault(vaultId: string): VaultRecord | undefined;
  /** In order of creation, as are all lists below. */
  vaults(): readonly VaultRecord[];

  /** Idempotent on name + vault. Refused: `NE-1` unknown vault. */
  createAccount(request: AccountRequest): Creation<AccountRecord>;
  account(accountId: string): AccountRecord | undefined;
  accounts(scope?: { vaultId?: string }): readonly AccountRecord[];

  /**
   * Idempotent on the HD path, within vault and network; without `hdpath` always a new address at
   * the account's next path. Refused: `NE-1` unknown account, `BR-1001` unknown network, `BR-1` a
   * path that is none, `ADR-3001` a path held by another account, `UE-1` a network whose keys an
   * external signer cannot hold.
   */
  createAddress(request: AddressRequest): Creation<AddressRecord>;
  address(addressId: string): AddressRecord | undefined;
  addresses(scope?: AddressScope): readonly AddressRecord[];

  /**
   * Idempotent on address + memo. Refused: `NE-1` unknown address, `BR-1` a network without memos or
   * a memo that no payment on it can carry, `MEM-4001` the same memo with other content.
   */
  createMemo(request: MemoRequest): Creation<MemoRecord>;
  memos(scope?: { addressId?: string; vaultId?: string }): readonly MemoRecord[];

  /**
   * Takes an order and carries it as far as it goes without others: to `approval-pending`,
   * `to-sign`, a pause, or `submitted`. Idempotent on `orderId`, whatever else the request says.
   * Refused: `NE-1` unknown vault, account, address or replaced transaction, `BR-1001`, `BR-1002`,
   * `BR-1` amount, memo or destination, `TX-2002` an address or account that contradict each other
   * or the vault, `ADR-3002` an address or destination of another network.
   */
  orderTransaction(request: OrderRequest): Creation<Transaction>;
  /** Refused: `NE-1`, `AU-1` (403) not an approver, `CFR-1` not waiting or already decided. */
  approve(decision: ApprovalDecision): Change<Transaction>;
  /** As `approve`; ends the order as `rejected_by_approver` or `rejected_by_master_approver`. */
  reject(decision: ApprovalDecision): Change<Transaction>;
  /** The client declines. Refused: `NE-1`, `CFR-1` once submitted or over. */
  cancel(transactionId: string): Change<Transaction>;
  /**
   * Signatures of an external signer: every payload of `signingPayloads`, signed with secp256k1.
   * Refused: `NE-1`, `CFR-1` not at `to-sign`, `UE-1` missing or wrong signatures.
   */
  submitSignatures(submission: SignatureSubmission): Change<Transaction>;
  /** Refused: `NE-1`, `CFR-1` a vault without master approval, or nothing built yet. */
  masterApprovalPayload(transactionId: string): Change<MasterApprovalPayload>;
  /** In order of occurrence; undefined for an unknown transaction. */
  events(transactionId: string): readonly TransactionEvent[] | undefined;
  /** Outgoing and incoming transactions alike; undefined when unknown. */
  transaction(transactionId: string): Transaction | undefined;
  transactions(query: TransactionQuery): { data: Transaction[]; total: number };
  /** What the chain knows of one address, oldest first; undefined for an unknown address. */
  addressTransactions(addressId: string): AddressTransaction[] | undefined;

  /** Someone outside pays custody. Refused: `NE-1`, `BR-1`, `BR-1001`, `BR-1002`, `ADR-3002`. */
  deposit(request: DepositRequest): Change<{ blockchainHash: string }>;
  /**
   * Adds `count` blocks at once; the first takes in the whole mempool, but for what waits behind a
   * nonce gap. Refused: `BR-1001`, `BR-1`.
   */
  mineBlocks(network: string, count: number): Change<ChainTip>;
  /**
   * Takes the last `depth` blocks away. What they held waits in the mempool again, except `drop`
   * and whatever spends it. Depth 0 only drops from the mempool: a double spend.
   * Refused: `BR-1001`, `BR-1`, `NE-1` a hash to drop that is neither in those blocks nor waiting.
   */
  reorg(request: ReorgRequest): Change<ReorgResult>;
  /**
   * Exactly `amount` leaves an address without a platform transaction, at somebody else's fee but,
   * on EVM networks, with the address's next nonce.
   * Refused: `NE-1`, `BR-1`, `BR-1001`, `BR-1002`, `ADR-3002`, `UE-1` the address holds too little.
   */
  externalDebit(request: ExternalDebitRequest): Change<{ blockchainHash: string }>;
  /** Replaces the whole set of transaction faults; an empty list clears it. */
  setTransactionFaults(faults: readonly TransactionFault[]): void;

  /** What every address and registered memo really holds on-chain (blocks only); non-zero rows. */
  truthBalances(): TruthBalance[];
  /** Every on-chain transaction that touches custody, with its unaggregated movements. */
  truthTransactions(): TruthTransaction[];

  /**
   * Schedules again, from the records, what the world had scheduled: after `State.restore` (and,
   * on a virtual clock, after `VirtualClock.reset` to the snapshot's time). Safe to call at any time.
   */
  resume(): void;
  /** Cancels everything scheduled. */
  stop(): void;
}

/**
 * Where notifications go. `notification` is complete and satisfies the wire schema; its `timestamp`
 * is the time of the event and is overwritten with the delivery time. `depth` is set on
 * `confirmation` events, for the subscription's confirmation override to suppress.
 */
export interface Outbox {
  enqueue(vaultId: string, notification: Notification, options?: { depth?: number }): void;
}

export interface Refused {
  kind: 'refused';
  /** `AU-1` from the world always means 403. */
  code: ErrorCode;
  message: string;
}
export type Creation<R> =
  { kind: 'created'; record: R } | { kind: 'existing'; record: R } | Refused;
export type Change<R> = { kind: 'done'; record: R } | Refused;

export type CustomData = Record<string, unknown>;
export type SourceLevel = 'address' | 'account' | 'vault';

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
  /** Hashes waiting for a block, in order of arrival. */
  mempool: string[];
}

export interface VaultRequest {
  name: string;
  /** Source level of orders that name neither an address nor an account; default `vault`. */
  source?: SourceLevel;
  /** Approvals needed; default 0: no quorum. */
  quorum?: number;
  /** Client ids. Must be at least `quorum`. */
  approvers?: readonly string[];
  externalSigner?: boolean;
  masterApproval?: { approvers: readonly string[] };
}
export interface VaultRecord {
  vaultId: string;
  name: string;
  /** Null: not chosen. */
  source: SourceLevel | null;
  quorum: number;
  approvers: readonly string[];
  externalSigner: boolean;
  masterApproval: { approvers: readonly string[] } | null;
  createdAt: string;
}
/**
 * `externalSigner.xprv` is shown this once: the core keeps only the public half. Paths of such a
 * vault are unhardened and relative to this key. Refused: `BR-1` quorum without enough approvers.
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

export interface OrderRequest {
  orderId: string;
  vaultId: string;
  accountId?: string;
  addressId?: string;
  network: string;
  asset: string;
  amount: bigint;
  destinationAddress: string;
  memo?: string;
  /** UTXO networks: an address of the same vault; default: the largest input's own. */
  changeAddressId?: string;
  /** A submitted transaction of the same vault, network and sources that this one outbids. */
  replacesTransactionId?: string;
  metadata?: CustomData;
}

export interface ApprovalDecision {
  transactionId: string;
  clientId: string;
}

export interface SignatureSubmission {
  transactionId: string;
  /** All hex: the payload signed, a compact (64 bytes) or DER signature, the compressed key. */
  signatures: readonly { payload: string; signature: string; publicKey: string }[];
}

/** The final signing bundle of a master-approval vault. */
export interface MasterApprovalPayload {
  transactionId: string;
  vaultId: string;
  network: string;
  payloads: { payload: string; hdpath: string }[];
  /** As `metadata.unsignedTransaction` of a transaction at `to-sign`. */
  unsignedTransaction?: string;
  approvals: Approval[];
  masterApprovals: Approval[];
  /** Every master approver has approved. */
  complete: boolean;
}

export interface TransactionEvent {
  id: string;
  transactionId: string;
  type: string;
  timestamp: string;
  blockchainHash?: string;
  reasonCode?: string;
  /** Only for `insufficient_balance`; amounts are integer strings. */
  reasonDetails?: {
    shortfalls: { asset: string; required: string; available: string }[];
  };
}

/** All given filters must hold; `offset` and `limit` cut the sorted rows. */
export interface TransactionQuery {
  status?: string;
  network?: string;
  type?: 'outgoing' | 'incoming';
  vaultId?: string;
  blockchainHash?: string;
  orderId?: string;
  accountId?: string;
  addressId?: string;
  /** Matches part of transactionId, orderId, blockchainHash or destinationAddress, in any case. */
  search?: string;
  /** Default: `createdAt`, ascending. Ties by order of creation, in the same direction. */
  sort?: { field: 'createdAt' | 'updatedAt'; order: 'asc' | 'desc' };
  offset?: number;
  limit?: number;
}

export interface DepositOutput {
  addressId?: string;
  /** Also an outsider's, as long as one output of the transaction is ours. */
  networkAddress?: string;
  asset: string;
  amount: bigint;
  memo?: string;
  /** Ripple: what the payment claims to send, when less arrives (a partial payment). */
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

/** Faults strike orders at their step, `count` times at most, each with `probability` (default 1). */
export type TransactionFault = {
  vaultId?: string;
  network?: string;
  probability?: number;
  count?: number;
} & (
  | { fault: 'revert' }
  | { fault: 'processing' }
  | { fault: 'pause'; reasonCode: CancellationReason }
  | { fault: 'cancel'; reasonCode: CancellationReason }
);

export interface TruthBalance {
  vaultId: string;
  accountId: string;
  addressId: string;
  /** Set for what arrived on a registered memo. */
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
  /** The platform's outgoing transaction, when the hash is one's. */
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
