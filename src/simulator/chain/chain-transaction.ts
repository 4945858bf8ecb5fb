/** One change on one on-chain address, as the chain made it, without aggregation. */
export interface Movement {
  readonly networkAddress: string;
  /** Universal asset id. */
  readonly asset: string;
  /** Smallest unit; negative = debit. */
  readonly amount: bigint;
  readonly tags: readonly string[];
  /** Set on the credit of a payment with a memo. */
  readonly memo?: string;
}

/** A transaction output. */
export interface Output {
  readonly networkAddress: string;
  readonly amount: bigint;
}

/** The effects of a transaction, before it has a hash. */
export interface TransactionPlan {
  readonly network: string;
  /**
   * Effects when a block takes the transaction in. On UTXO networks they are the sums of inputs and
   * outputs.
   */
  readonly movements: readonly Movement[];
  /** Effects when the transaction reverts: only the fee is paid. */
  readonly burned: readonly Movement[];
  /** Outpoints (`hash:index`) of the inputs that custody owns; empty on account networks. */
  readonly spends: readonly string[];
  readonly outputs: readonly Output[];
  /**
   * Addresses that gave inputs, or the sender (the "source side" of the specification). Empty when
   * all inputs came from outside.
   */
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
 * | `mempool` | `dropped` | invalid by then, dropped by a control call, or another transaction with its nonce or inputs was mined |
 * | `mined` | `mempool` | a reorg removes its block |
 */
export interface ChainTransaction extends TransactionPlan {
  readonly hash: string;
  /**
   * Number in order of the first broadcast. Blocks take transactions in by this number, as far as
   * nonces allow.
   */
  readonly sequence: number;
  readonly status: 'mempool' | 'mined' | 'dropped';
  readonly reverts: boolean;
  readonly firstSeenMs: number;
  readonly blockHeight: number | null;
  readonly minedAtMs: number | null;
  /** Height at which the next published depth is reached; null when no depth is left. */
  readonly dueHeight: number | null;
  /** The id of the platform's outgoing transaction; null for all others. */
  readonly transactionId: string | null;
  /** The hash that this transaction replaces with a higher fee. */
  readonly replaces: string | null;
  /** The sender's nonce, from 0; absent on networks without nonces and on payments by outsiders. */
  readonly nonce?: number;
}

/** The movements that the transaction makes in a block: after a revert only the fee. */
export function effectsOf(transaction: ChainTransaction): readonly Movement[] {
  return transaction.reverts ? transaction.burned : transaction.movements;
}

/** The id of an output: `hash:index`. */
export function outpoint(hash: string, index: number): string {
  return `${hash}:${index}`;
}
