import { evmTransaction } from '../signing/evm-transaction.ts';
import { planDigests } from '../signing/plan-digest.ts';
import type { UnsignedTransaction } from '../signing/unsigned-transaction.ts';
import { utxoTransaction } from '../signing/utxo-transaction.ts';
import type { FundingView } from './funding.ts';
import type { Draft, Order } from './order.ts';
import { nonceFor } from './source-funds.ts';

/** What a built order waits to have signed. */
export interface SigningBundle {
  readonly payloads: readonly SigningPayload[];
  /** Hex; absent where the core has no encoding of the transaction. */
  readonly unsignedTransaction?: string;
}

/** A 32-byte digest (hex) to be signed with the key at `hdpath`. */
export interface SigningPayload {
  readonly payload: string;
  readonly hdpath: string;
}

/**
 * The order's bundle as it stands now; undefined while nothing is built. An EVM transaction is signed
 * with its nonce, which is free until the broadcast: when another transaction of the sender goes
 * first, the bundle is another one.
 */
export function signingBundle(view: FundingView, order: Order): SigningBundle | undefined {
  if (order.draft === null) return undefined;
  const { plan, inputs } = order.draft;
  const unsigned = unsignedTransaction(view, order, order.draft);
  // Who signs: the owner of each input, or the sender.
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
