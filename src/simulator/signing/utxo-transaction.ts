import { hex } from '@scure/base';
import { Address, OutScript, SigHash, Transaction } from '@scure/btc-signer';
import type { Output, TransactionPlan } from '../chain/chain-transaction.ts';
import { base58Network } from '../vaults/network-address.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import type { UnsignedTransaction } from './unsigned-transaction.ts';

/** Signals that the transaction may be replaced (BIP-125). */
const REPLACEABLE = 0xfffffffd;
const AMOUNT_MAX = 2n ** 64n - 1n;

/**
 * The PSBT that the plan stands for; one BIP-143 digest per input, all of them `SIGHASH_ALL`.
 * `spent` are the outputs of `plan.spends`, in that order. Undefined when no such transaction exists:
 * a destination that is no address of the network, an amount beyond 64 bits.
 */
export function utxoTransaction(
  network: NetworkConfig,
  plan: TransactionPlan,
  spent: readonly Output[],
): UnsignedTransaction | undefined {
  const outputs = plan.outputs.map((output) => scriptOf(network, output));
  const inputs = spent.map((output) => scriptOf(network, output));
  const transaction = new Transaction();
  for (const output of outputs) {
    if (output === undefined) return undefined;
    transaction.addOutput({ script: OutScript.encode(output.script), amount: output.amount });
  }
  const digests: ((index: number) => Uint8Array)[] = [];
  for (const [index, input] of inputs.entries()) {
    if (input?.script.type !== 'wpkh') return undefined;
    const { script, amount } = input;
    const [txid, outputIndex] = (plan.spends[index] ?? '').split(':');
    transaction.addInput({
      txid: txid ?? '',
      index: Number(outputIndex),
      sequence: REPLACEABLE,
      witnessUtxo: { script: OutScript.encode(script), amount },
    });
    const code = OutScript.encode({ type: 'pkh', hash: script.hash });
    digests.push((at) => transaction.preimageWitnessV0(at, code, SigHash.ALL, amount));
  }
  // A digest covers all inputs and outputs: none can be made before the last one is there.
  return {
    encoded: hex.encode(transaction.toPSBT()),
    digests: digests.map((digest, index) => hex.encode(digest(index))),
  };
}

function scriptOf(network: NetworkConfig, { networkAddress, amount }: Output) {
  if (amount > AMOUNT_MAX) return undefined;
  try {
    return { script: Address(base58Network(network.address)).decode(networkAddress), amount };
  } catch {
    // No address of this network: the library tells it by throwing.
    return undefined;
  }
}
