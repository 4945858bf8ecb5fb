/** An unsigned transaction in the encoding of its network. */
export interface UnsignedTransaction {
  /** Hex, without prefix: EIP-2718 bytes of an EIP-1559 transaction, or a PSBT (BIP-174). */
  readonly encoded: string;
  /**
   * The digests that the keys sign: 32 bytes, hex. UTXO networks have one per input, account
   * networks one.
   */
  readonly digests: readonly string[];
}
