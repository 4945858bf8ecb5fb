import { hex } from '@scure/base';
import { Address, OutScript, SigHash, Transaction } from '@scure/btc-signer';
import type { Output, TransactionPlan } from '../chain/chain-transaction.ts';
import { base58Network } from '../vaults/network-address.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import type { UnsignedTransaction } from './unsigned-transaction.ts';

/** Sequence number of an input that allows replacement (BIP-125). */
const REPLACEABLE = 0xfffffffd;
const AMOUNT_MAX = 2n ** 64n - 1n;

/**
 * Encodes the plan as a PSBT. There is one BIP-143 digest per input, each with `SIGHASH_ALL`.
 * `spent` are the outputs of `plan.spends`, in that order. Returns undefined when there is no such
 * transaction: the destination is no address of the network, or the amount exceeds 64 bits.
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
  // Each digest covers all inputs and outputs, so digests come after the last input.
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
    // The library throws for an address of another network.
    return undefined;
  }
}
