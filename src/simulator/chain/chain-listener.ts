import type { ChainTransaction } from './chain-transaction.ts';

/** Hears what happens on the chains, in order, right after it happened. */
export interface ChainListener {
  /** Broadcast for the first time. */
  accepted(transaction: ChainTransaction): void;
  /** Taken in by a block; again after a reorg. */
  mined(transaction: ChainTransaction): void;
  /** Reached a published depth. */
  deepened(transaction: ChainTransaction, depth: number): void;
  /** Its block is gone; it waits again, or `dropped` follows. */
  unmined(transaction: ChainTransaction): void;
  /** Gone for good. */
  dropped(transaction: ChainTransaction): void;
  /** Gone for good: of two that outbid each other, the other one was mined. */
  replaced(transaction: ChainTransaction): void;
  /** A block has been worked off: balances may have grown. */
  blockAdded(network: string): void;
}
