import { evmTransaction } from '../signing/evm-transaction.ts';
import { planDigests } from '../signing/plan-digest.ts';
import type { UnsignedTransaction } from '../signing/unsigned-transaction.ts';
import { utxoTransaction } from '../signing/utxo-transaction.ts';
import type { FundingView } from './funding/funding.ts';
import type { Draft, Order } from './order.ts';
import { nonceFor } from './funding/source-funds.ts';

/** The payloads that a built order needs signatures for. */
export interface SigningBundle {
  readonly payloads: readonly SigningPayload[];
  /** Hex; absent when the core cannot encode the transaction. */
  readonly unsignedTransaction?: string;
}

/** A 32-byte digest (hex) and the HD path of the key that must sign it. */
export interface SigningPayload {
  readonly payload: string;
  readonly hdpath: string;
}

/**
 * Returns the order's current bundle, or undefined before the transaction is built. The nonce of an
 * EVM transaction is reserved only at the broadcast. When another transaction of the sender is
 * broadcast first, the bundle changes.
 */
export function signingBundle(view: FundingView, order: Order): SigningBundle | undefined {
  if (order.draft === null) return undefined;
  const { plan, inputs } = order.draft;
  const unsigned = unsignedTransaction(view, order, order.draft);
  // The signers are the owners of the inputs, or the sender.
  const signers =
    inputs.length > 0 ? inputs.map(({ networkAddress }) => networkAddress) : plan.sources;
  const digests = unsigned?.digests ?? planDigests(order.transactionId, plan, signers.length);
  return {
    payloads: digests.map((payload, index) => ({
      payload,
      hdpath: view.registry.custodyAddress(plan.network, signers[index] ?? '')?.hdpath ?? 'm',
    })),
    ...(unsigned === undefined ? {} : { unsignedTransaction: unsigned.encoded }),
  };
}

function unsignedTransaction(
  view: FundingView,
  order: Order,
  { plan, inputs }: Draft,
): UnsignedTransaction | undefined {
  const network = view.catalogue.network(order.network);
  if (network === undefined) return undefined;
  if (network.model === 'utxo') return utxoTransaction(network, plan, inputs);
  const nonce = nonceFor(view, order, plan);
  return nonce === undefined ? undefined : evmTransaction(network, plan, nonce);
}
