/** A transaction in its network's own encoding, before any signature. */
export interface UnsignedTransaction {
  /** Hex, without prefix: EIP-2718 bytes of an EIP-1559 transaction, or a PSBT (BIP-174). */
  readonly encoded: string;
  /** What each key signs: 32 bytes, hex; one digest on account networks, one per input otherwise. */
  readonly digests: readonly string[];
}
