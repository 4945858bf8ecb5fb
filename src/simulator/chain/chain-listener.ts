import type { ChainTransaction } from './chain-transaction.ts';

/** Receives the events of every chain, in order, directly after each event. */
export interface ChainListener {
  /** The transaction entered the mempool. */
  accepted(transaction: ChainTransaction): void;
  /** A block took the transaction in; called again when it is mined again after a reorg. */
  mined(transaction: ChainTransaction): void;
  /** The transaction reached a published depth. */
  deepened(transaction: ChainTransaction, depth: number): void;
  /** A reorg removed its block. The transaction waits again, or `dropped` follows. */
  unmined(transaction: ChainTransaction): void;
  /** The transaction was dropped and does not return. */
  dropped(transaction: ChainTransaction): void;
  /** The transaction was dropped, because its replacement or its original was mined. */
  replaced(transaction: ChainTransaction): void;
  /** A block was added, so balances may have grown. */
  blockAdded(network: string): void;
}
