import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { addr, amounts, Transaction } from 'micro-eth-signer';
import type { TransactionPlan } from '../chain/chain-transaction.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import type { UnsignedTransaction } from './unsigned-transaction.ts';

/** Selector of `transfer(address,uint256)` (ERC-20). */
const TRANSFER = 'a9059cbb';

/**
 * Encodes the plan as an EIP-1559 transaction. The digest is the keccak-256 of its bytes. The whole
 * price is priority fee, so the fee is gas times gas price, as the metadata says. Returns undefined
 * when there is no such transaction: the destination is no EVM address, the amount exceeds 256
 * bits, or the token has no contract.
 */
export function evmTransaction(
  network: NetworkConfig,
  plan: TransactionPlan,
  nonce: number,
): UnsignedTransaction | undefined {
  const credit = plan.movements.find(({ amount }) => amount > 0n);
  const call = credit === undefined ? undefined : callOf(network, credit);
  if (call === undefined || network.evmChainId === undefined) return undefined;
  const price = BigInt(String(plan.metadata['gasPrice']));
  const transaction = Transaction.prepare(
    {
      type: 'eip1559',
      chainId: BigInt(network.evmChainId),
      nonce: BigInt(nonce),
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
      gasLimit: BigInt(String(plan.metadata['gas'])),
      ...call,
    },
    // Strict mode would refuse unusual gas prices.
    false,
  );
  const bytes = transaction.toBytes();
  return { encoded: hex.encode(bytes), digests: [hex.encode(keccak_256(bytes))] };
}

function callOf(
  network: NetworkConfig,
  credit: { networkAddress: string; asset: string; amount: bigint },
): { to: string; value: bigint; data: string } | undefined {
  const { networkAddress, asset, amount } = credit;
  if (!addr.isValid(networkAddress) || amount > amounts.maxUint256) return undefined;
  const definition = network.assets.find(({ symbol }) => asset === `${network.key}:${symbol}`);
  if (definition?.type === 'native') return { to: networkAddress, value: amount, data: '0x' };
  if (definition?.contract === undefined) return undefined;
  const receiver = addr.parse(networkAddress).data.toLowerCase().padStart(64, '0');
  const data = `0x${TRANSFER}${receiver}${amount.toString(16).padStart(64, '0')}`;
  return { to: definition.contract, value: 0n, data };
}
