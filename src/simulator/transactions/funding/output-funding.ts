import type { ChainTransaction, Movement, Output } from '../../chain/chain-transaction.ts';
import type { Unspent } from '../../chain/ledger.ts';
import type { NetworkConfig } from '../../world/network-config.ts';
import type { AddressRecord } from '../../world/vault.ts';
import { bidMetadata, bidOf } from './replacement-price.ts';
import type { Funding, FundingView } from './funding.ts';
import { outputFee } from './network-fee.ts';
import type { Order } from '../order.ts';

interface Selection {
  inputs: Unspent[];
  fee: bigint;
  change: bigint;
}

/** Pays an order from the unspent outputs of a group of addresses, largest first. */
export function fundFromOutputs(
  view: FundingView,
  request: {
    order: Order;
    network: NetworkConfig;
    group: readonly AddressRecord[];
    original: ChainTransaction | undefined;
  },
): Funding {
  const { order, network, group, original } = request;
  const bid = bidOf(original);
  const all = group.flatMap((address) =>
    view.chain.ledger.unspent(network.key, address.networkAddress),
  );
  // A replacement must spend every output that its original spends. Then a block can include only
  // one of them.
  const spends = original?.spends ?? [];
  const mandatory = all.filter((output) => spends.includes(output.outpoint));
  // A reorg removed one of these outputs. It returns when its transaction is mined again.
  if (mandatory.length < spends.length) return { kind: 'not-enough-utxos' };
  const free = all.filter(
    (output) => !mandatory.includes(output) && !isHeld(view, output.outpoint),
  );
  const selection = select({ mandatory, free: bySize(free), order, network, bid });
  if (selection !== undefined) {
    return { kind: 'funded', plan: planOf(view, { order, network, bid, selection }) };
  }
  // If the outputs held by other transactions are enough, the order only has to wait.
  if (select({ mandatory: [], free: bySize(all), order, network, bid }) !== undefined) {
    return { kind: 'not-enough-utxos' };
  }
  const available = all.reduce((sum, output) => sum + output.amount, 0n);
  const fee = outputFee(network, { inputs: Math.max(1, all.length), outputs: 1, bid });
  return {
    kind: 'insufficient',
    shortfalls: [
      {
        asset: order.asset,
        required: (order.amount + fee).toString(),
        available: available.toString(),
      },
    ],
  };
}

function isHeld(view: FundingView, outpoint: string): boolean {
  return view.chain.mempool.claimants(outpoint).length > 0 || view.orders.isReserved(outpoint);
}

function bySize(outputs: readonly Unspent[]): Unspent[] {
  // With the largest inputs first, change is smaller than every input, so no source address gains.
  return outputs.toSorted((left, right) =>
    left.amount === right.amount ? 0 : left.amount > right.amount ? -1 : 1,
  );
}

function select(request: {
  mandatory: readonly Unspent[];
  free: readonly Unspent[];
  order: Order;
  network: NetworkConfig;
  bid: bigint;
}): Selection | undefined {
  const { mandatory, free, order, network, bid } = request;
  for (let taken = mandatory.length === 0 ? 1 : 0; taken <= free.length; taken += 1) {
    const inputs = [...mandatory, ...free.slice(0, taken)];
    const total = inputs.reduce((sum, input) => sum + input.amount, 0n);
    const bare = outputFee(network, { inputs: inputs.length, outputs: 1, bid });
    if (total < order.amount + bare) continue;
    const fee = outputFee(network, { inputs: inputs.length, outputs: 2, bid });
    const change = total - order.amount - fee;
    // Change below the dust amount cannot be spent, so it goes to the fee.
    return change >= (network.dustAmount ?? 1n)
      ? { inputs, fee, change }
      : { inputs, fee: total - order.amount, change: 0n };
  }
  return undefined;
}

function planOf(
  view: FundingView,
  parts: { order: Order; network: NetworkConfig; bid: bigint; selection: Selection },
) {
  const { order, network, bid, selection } = parts;
  const inputs = bySize(selection.inputs);
  const destination = view.registry.canonicalAddress(network.key, order.destinationAddress);
  const changeAddress =
    view.registry.address(order.changeAddressId ?? '')?.networkAddress ??
    inputs[0]?.networkAddress ??
    destination;
  const outputs: Output[] = [{ networkAddress: destination, amount: order.amount }];
  if (selection.change > 0n) {
    outputs.push({ networkAddress: changeAddress, amount: selection.change });
  }
  const credits: Movement[] = outputs.map((output, index) => ({
    ...output,
    asset: order.asset,
    tags: index === 0 ? [] : ['change'],
  }));
  const { debits, fees } = inputMovements(inputs, selection.fee, order.asset);
  return {
    network: network.key,
    movements: [...debits, ...credits, ...fees],
    burned: [],
    spends: inputs.map((input) => input.outpoint),
    outputs,
    sources: [...new Set(inputs.map((input) => input.networkAddress))],
    metadata: { ...order.metadata, fee: selection.fee.toString(), ...bidMetadata(bid) },
  };
}

/**
 * Makes the movements of the inputs. Each input is a debit without its share of the fee, and the
 * share is a fee entry of its own. So debits and fees sum to the inputs. The largest inputs pay the
 * fee.
 */
function inputMovements(
  inputs: readonly Unspent[],
  fee: bigint,
  asset: string,
): { debits: Movement[]; fees: Movement[] } {
  const debits: Movement[] = [];
  const fees: Movement[] = [];
  let unpaid = fee;
  for (const { networkAddress, amount } of inputs) {
    const share = unpaid < amount ? unpaid : amount;
    unpaid -= share;
    if (amount > share) debits.push({ networkAddress, asset, amount: share - amount, tags: [] });
    if (share > 0n) fees.push({ networkAddress, asset, amount: -share, tags: ['fee'] });
  }
  return { debits, fees };
}
