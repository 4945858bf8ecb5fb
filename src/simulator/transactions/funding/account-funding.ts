import type { ChainTransaction, Movement } from '../../chain/chain-transaction.ts';
import { feeAssetOf } from '../../world/asset-catalogue.ts';
import type { NetworkConfig } from '../../world/network-config.ts';
import type { AddressRecord } from '../../world/vault.ts';
import { bidMetadata, bidOf } from './replacement-price.ts';
import type { Funding, FundingView, Shortfalls } from './funding.ts';
import { accountFee } from './network-fee.ts';
import type { Order } from '../order.ts';

/** Pays an order from the balances of one address. */
export function fundFromAccount(
  view: FundingView,
  request: {
    order: Order;
    network: NetworkConfig;
    source: AddressRecord;
    original: ChainTransaction | undefined;
  },
): Funding {
  const { order, network, source, original } = request;
  const feeAsset = feeAssetOf(network);
  const token = view.catalogue.asset(network, order.asset)?.token ?? false;
  const bid = bidOf(original);
  const fee = accountFee(network, { token, bid });
  const required = new Map([[order.asset, order.amount]]);
  required.set(feeAsset, (required.get(feeAsset) ?? 0n) + fee.total);
  const shortfalls: Shortfalls = [];
  for (const [asset, amount] of required) {
    const available = availableBalance(view, source, asset, original);
    if (available < amount) {
      shortfalls.push({ asset, required: amount.toString(), available: available.toString() });
    }
  }
  if (shortfalls.length > 0) return { kind: 'insufficient', shortfalls };
  const burned: Movement[] = fee.parts.map((part) => ({
    networkAddress: source.networkAddress,
    asset: feeAsset,
    amount: -part,
    tags: ['fee'],
  }));
  return {
    kind: 'funded',
    plan: {
      network: network.key,
      movements: [
        ...transferOf(view, { order, network, source, token }),
        ...burned,
        ...sideEffects(network, { order, source, token }),
      ],
      burned,
      spends: [],
      outputs: [],
      sources: [source.networkAddress],
      metadata: { ...order.metadata, ...fee.metadata, ...bidMetadata(bid) },
    },
  };
}

function transferOf(
  view: FundingView,
  parts: { order: Order; network: NetworkConfig; source: AddressRecord; token: boolean },
): Movement[] {
  const { order, network, source, token } = parts;
  const tags = token && network.tokenTag !== undefined ? [network.tokenTag] : [];
  return [
    {
      networkAddress: source.networkAddress,
      asset: order.asset,
      amount: -order.amount,
      tags,
    },
    {
      networkAddress: view.registry.canonicalAddress(network.key, order.destinationAddress),
      asset: order.asset,
      amount: order.amount,
      tags,
      ...(order.memo === null ? {} : { memo: order.memo }),
    },
  ];
}

/**
 * Credits that the protocol gives to the sender. They are never netted against the fee (the
 * specification, section "Tags on balance change entries").
 */
function sideEffects(
  network: NetworkConfig,
  parts: { order: Order; source: AddressRecord; token: boolean },
): Movement[] {
  const { order, source, token } = parts;
  const { networkAddress } = source;
  const asset = feeAssetOf(network);
  const effects: Movement[] = [];
  if (network.rebate !== undefined) {
    const amount = token ? network.rebate.token : network.rebate.native;
    effects.push({ networkAddress, asset, amount, tags: ['rebate'] });
  }
  if (network.mint !== undefined && order.asset === `${network.key}:${network.mint.onAsset}`) {
    effects.push({ networkAddress, asset, amount: network.mint.amount, tags: ['mint'] });
  }
  return effects;
}

/** The balance in blocks minus the debits of pending and built transactions. */
function availableBalance(
  view: FundingView,
  source: AddressRecord,
  asset: string,
  original: ChainTransaction | undefined,
): bigint {
  const { network, networkAddress } = source;
  let available = view.chain.ledger.balance(network, networkAddress, asset);
  const take = (movements: readonly Movement[]): void => {
    for (const movement of movements) {
      const own = movement.networkAddress === networkAddress && movement.asset === asset;
      if (own && movement.amount < 0n) available += movement.amount;
    }
  };
  for (const transaction of view.chain.mempool.paidBy(network, networkAddress)) {
    if (transaction.hash !== original?.hash) take(transaction.movements);
  }
  for (const order of view.orders.draftsFrom(network, networkAddress)) {
    if (order.draft !== null) take(order.draft.plan.movements);
  }
  return available;
}
