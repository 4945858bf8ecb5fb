import type { Notification } from '../../wire/notification.ts';
import type { AddressTransaction, Transaction } from '../../wire/transaction.ts';
import type {
  BlockInfo,
  ChainTip,
  DepositRequest,
  ExternalDebitRequest,
  NetworkInfo,
  OnChainTransaction,
  ReorgRequest,
  ReorgResult,
  TruthBalance,
  TruthTransaction,
} from './on-chain.ts';
import type { Change, Creation } from './outcome.ts';
import type {
  ApprovalDecision,
  MasterApprovalPayload,
  OrderRequest,
  SignatureSubmission,
  TransactionEvent,
  TransactionFault,
  TransactionQuery,
} from './transaction.ts';
import type {
  AccountRecord,
  AccountRequest,
  AddressRecord,
  AddressRequest,
  AddressScope,
  MemoRecord,
  MemoRequest,
  VaultCreation,
  VaultRecord,
  VaultRequest,
} from './vault.ts';

/**
 * The interface of the simulated world: vaults, chains, transactions and truth. The API, the
 * credentials and the delivery use only this interface.
 *
 * Every method is synchronous. When it returns, its work is done and all its notifications are in
 * the outbox. Ids are strings, amounts `bigint` in the asset's smallest unit. Records for the API
 * (`Transaction` and others) have their wire shape, with times in ISO 8601.
 */
export interface World {
  /** Every network, in the order of `config/networks.json`. */
  networks(): readonly NetworkInfo[];
  /** The tip of each chain, for the inspector. */
  chains(): readonly ChainTip[];

  createVault(request: VaultRequest): VaultCreation;
  vault(vaultId: string): VaultRecord | undefined;
  /** In order of creation, as all lists below. */
  vaults(): readonly VaultRecord[];

  /**
   * Creates an account, idempotent on name and vault (the specification, section "Idempotent
   * creation"). Refused: `NE-1` unknown vault.
   */
  createAccount(request: AccountRequest): Creation<AccountRecord>;
  account(accountId: string): AccountRecord | undefined;
  accounts(scope?: { vaultId?: string }): readonly AccountRecord[];

  /**
   * Creates an address, idempotent on the HD path within vault and network (the specification,
   * section "Idempotent creation"). Without `hdpath` it is always a new address at the account's
   * next path. Refused: `NE-1` unknown account, `BR-1001` unknown network, `BR-1` an invalid path,
   * `ADR-3001` a path of another account, `UE-1` a network whose keys an external signer cannot
   * hold.
   */
  createAddress(request: AddressRequest): Creation<AddressRecord>;
  address(addressId: string): AddressRecord | undefined;
  addresses(scope?: AddressScope): readonly AddressRecord[];

  /**
   * Creates a memo, idempotent on address and memo (the specification, section "Idempotent
   * creation"). Refused: `NE-1` unknown address, `BR-1` a network without memos or an invalid memo,
   * `MEM-4001` the same memo with other content.
   */
  createMemo(request: MemoRequest): Creation<MemoRecord>;
  memos(scope?: { addressId?: string; vaultId?: string }): readonly MemoRecord[];

  /**
   * Creates an order and moves it as far as it can go without others: to `approval-pending`,
   * `to-sign`, a pause, or `submitted`. Idempotent on `orderId`, even when other fields differ (the
   * specification, section "Idempotent creation"). Refused: `NE-1` unknown vault, account, address
   * or replaced transaction, `BR-1001`, `BR-1002`, `BR-1` amount, memo or destination, `TX-2002` an
   * address or account that contradict each other or the vault, `ADR-3002` an address or
   * destination of another network.
   */
  orderTransaction(request: OrderRequest): Creation<Transaction>;
  /**
   * Records an approval. Refused: `NE-1`, `AU-1` (403) not an approver, `CFR-1` not waiting or
   * already approved or rejected by this client.
   */
  approve(decision: ApprovalDecision): Change<Transaction>;
  /**
   * Records a rejection, with the refusals of `approve`. Ends the order as `rejected_by_approver`
   * or `rejected_by_master_approver`.
   */
  reject(decision: ApprovalDecision): Change<Transaction>;
  /** Declines an order. Refused: `NE-1`, `CFR-1` once submitted or final. */
  cancel(transactionId: string): Change<Transaction>;
  /**
   * Takes the signatures of an external signer: one secp256k1 signature for every payload of
   * `signingPayloads`. Refused: `NE-1`, `CFR-1` not at `to-sign`, `UE-1` missing or wrong
   * signatures.
   */
  submitSignatures(submission: SignatureSubmission): Change<Transaction>;
  /**
   * The final signing bundle (the specification, section "Outgoing transaction progress", rule 3).
   * Refused: `NE-1`, `CFR-1` a vault without master approval, or nothing built yet.
   */
  masterApprovalPayload(transactionId: string): Change<MasterApprovalPayload>;
  /** The events of a transaction in order; undefined for an unknown transaction. */
  events(transactionId: string): readonly TransactionEvent[] | undefined;
  /** An outgoing or incoming transaction; undefined when unknown. */
  transaction(transactionId: string): Transaction | undefined;
  transactions(query: TransactionQuery): { data: Transaction[]; total: number };
  /** The on-chain transactions of one address, oldest first; undefined for an unknown address. */
  addressTransactions(addressId: string): AddressTransaction[] | undefined;

  /**
   * An outsider pays custody addresses. Refused: `NE-1`, `BR-1`, `BR-1001`, `BR-1002`, `ADR-3002`.
   */
  deposit(request: DepositRequest): Change<{ blockchainHash: string }>;
  /**
   * Adds `count` blocks at once. The first takes in the whole mempool, except transactions behind a
   * nonce gap. Refused: `BR-1001`, `BR-1`.
   */
  mineBlocks(network: string, count: number): Change<ChainTip>;
  /**
   * Removes the last `depth` blocks. Their transactions wait in the mempool again, except those in
   * `drop` and those that spend their outputs. Depth 0 only drops from the mempool: a double spend.
   * Refused: `BR-1001`, `BR-1`, `NE-1` a hash in `drop` that is neither in those blocks nor
   * waiting.
   */
  reorg(request: ReorgRequest): Change<ReorgResult>;
  /**
   * Moves exactly `amount` from an address without a platform transaction. An outsider pays the
   * fee. On EVM networks the transaction has the address's next nonce. Refused: `NE-1`, `BR-1`,
   * `BR-1001`, `BR-1002`, `ADR-3002`, `UE-1` the address holds too little.
   */
  externalDebit(request: ExternalDebitRequest): Change<{ blockchainHash: string }>;
  /**
   * Replaces all transaction faults; an empty list clears them. `strikes`: how often each has struck
   * already; default: never.
   */
  setTransactionFaults(faults: readonly TransactionFault[], strikes?: readonly number[]): void;
  /** How often each transaction fault has struck, in order. */
  transactionFaultStrikes(): number[];

  /**
   * The on-chain balance of every address and registered memo, in blocks only; rows that are not
   * zero.
   */
  truthBalances(): TruthBalance[];
  /** Every on-chain transaction that touches custody, with its unaggregated movements. */
  truthTransactions(): TruthTransaction[];
  /** The blocks of a chain that hold transactions, newest first. Empty blocks are not listed. */
  blocks(network: string): BlockInfo[];
  /** A transaction of any chain, with every movement; undefined for an unknown hash. */
  onChain(blockchainHash: string): OnChainTransaction | undefined;

  /**
   * Sets all timers again from the stored rows. Call it after `State.restore`, and on a virtual
   * clock after `VirtualClock.reset` to the snapshot's time. Safe to call at any time.
   */
  resume(): void;
  /** Cancels all timers. */
  stop(): void;
}

/**
 * Receives the notifications. `notification` is complete and satisfies the wire schema. Its
 * `timestamp` is the time of the event; each delivery overwrites it. `depth` is set on
 * `confirmation` events, so that the subscription's confirmation override can suppress them.
 */
export interface Outbox {
  enqueue(vaultId: string, notification: Notification, options?: { depth?: number }): void;
}
