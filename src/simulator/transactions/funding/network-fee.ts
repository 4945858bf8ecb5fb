import type { NetworkConfig } from '../../world/network-config.ts';

/** The fee of a transaction on an account network. */
export interface AccountFee {
  /** The amount of each fee entry, positive. */
  parts: bigint[];
  total: bigint;
  /** Network-specific description; amounts as integer strings, `fee` is the total. */
  metadata: Record<string, unknown>;
}

/**
 * Computes the fee on an account network, in the smallest unit of its asset. `bid` multiplies the
 * price: 1, or more for a replacement. Throws for a UTXO network, which has `outputFee`.
 */
export function accountFee(
  network: NetworkConfig,
  transfer: { token: boolean; bid: bigint },
): AccountFee {
  const { token, bid } = transfer;
  const { fee } = network;
  switch (fee.kind) {
    case 'byGas': {
      const gas = token ? fee.tokenGas : fee.nativeGas;
      const gasPrice = fee.gasPrice * bid;
      const total = gas * gasPrice;
      return {
        parts: [total],
        total,
        metadata: {
          gas: gas.toString(),
          gasPrice: gasPrice.toString(),
          fee: total.toString(),
        },
      };
    }
    case 'fixed': {
      const parts = (token ? fee.tokenParts : fee.nativeParts).map((part) => part * bid);
      const total = parts.reduce((sum, part) => sum + part, 0n);
      return { parts, total, metadata: { fee: total.toString() } };
    }
    case 'byVirtualSize':
      throw new Error(`${network.key} is no account network`);
    default:
      return fee satisfies never;
  }
}

/** Virtual bytes of a transaction with pay-to-witness-key-hash inputs and outputs, rounded up. */
const OVERHEAD_BYTES = 11;
const INPUT_BYTES = 68;
const OUTPUT_BYTES = 31;

/**
 * The fee on a UTXO network, in the asset's smallest unit. `bid` as in `accountFee`. Throws for an
 * account network.
 */
export function outputFee(
  network: NetworkConfig,
  shape: { inputs: number; outputs: number; bid: bigint },
): bigint {
  if (network.fee.kind !== 'byVirtualSize') throw new Error(`${network.key} has no outputs`);
  const bytes = OVERHEAD_BYTES + shape.inputs * INPUT_BYTES + shape.outputs * OUTPUT_BYTES;
  return BigInt(bytes) * network.fee.perVirtualByte * shape.bid;
}
