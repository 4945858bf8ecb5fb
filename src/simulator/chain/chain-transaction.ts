/** One change on one on-chain address, as the chain made it: nothing aggregated, nothing netted. */
export interface Movement {
  readonly networkAddress: string;
  /** Universal asset id. */
  readonly asset: string;
  /** Smallest unit; negative = debit. */
  readonly amount: bigint;
  readonly tags: readonly string[];
  /** On the credit of a payment that carried one. */
  readonly memo?: string;
}

/** An output that can be spent once. */
export interface Output {
  readonly networkAddress: string;
  readonly amount: bigint;
}

/** What a transaction will do, before it has a hash. */
export interface TransactionPlan {
  readonly network: string;
  /** Effects in a block. On UTXO networks they sum up inputs and outputs. */
  readonly movements: readonly Movement[];
  /** Effects when it reverts: the burned fee. */
  readonly burned: readonly Movement[];
  /** Outpoints (`hash:index`) of the inputs that are ours; empty on account networks. */
  readonly spends: readonly string[];
  readonly outputs: readonly Output[];
  /** Addresses that gave inputs, or the sender: the "source side". Empty when all came from outside. */
  readonly sources: readonly string[];
  /** Network-specific (gas, gasPrice, fee, …); amounts as integer strings. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * A transaction on a simulated chain.
 *
 * | from | to | when |
 * |---|---|---|
 * | (new) | `mempool` | broadcast |
 * | `mempool` | `mined` | the next block takes it in, if it is still valid and no lower nonce is missing |
 * | `mempool` | `dropped` | invalid by then, dropped by hand, or a rival for its nonce or inputs was mined |
 * | `mined` | `mempool` | a reorg takes its block away |
 */
export interface ChainTransaction extends TransactionPlan {
  readonly hash: string;
  /** Order of first broadcast: the order in which blocks take transactions in, nonces permitting. */
  readonly sequence: number;
  readonly status: 'mempool' | 'mined' | 'dropped';
  readonly reverts: boolean;
  readonly firstSeenMs: number;
  readonly blockHeight: number | null;
  readonly minedAtMs: number | null;
  /** Height at which the next published depth is reached; null when none is left. */
  readonly dueHeight: number | null;
  /** The platform's outgoing transaction. */
  readonly transactionId: string | null;
  /** The hash that this one outbids. */
  readonly replaces: string | null;
  /** Its number among the sender's, from 0; absent where none counts and on payments by outsiders. */
  readonly nonce?: number;
}

/** What the transaction does, or did, to balances in a block. */
export function effectsOf(transaction: ChainTransaction): readonly Movement[] {
  return transaction.reverts ? transaction.burned : transaction.movements;
}

export function outpoint(hash: string, index: number): string {
  return `${hash}:${index}`;
}
