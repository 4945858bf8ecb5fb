import type { ChainTransaction, TransactionPlan } from '../chain/chain-transaction.ts';
import type { AddressRecord } from '../world/world.ts';
import { fundFromAccount } from './account-funding.ts';
import type { Funding, FundingView } from './funding.ts';
import type { Order } from './order.ts';
import { fundFromOutputs } from './output-funding.ts';
import { sourceLevel } from './source-level.ts';

/**
 * Finds the money for an order within its scope: one address on account networks, any inputs of one
 * group (address, account or vault, by the order's source level) on UTXO networks. The first group
 * that can pay does.
 */
export function fund(view: FundingView, order: Order): Funding {
  const original = replacedBy(view, order);
  const network = view.catalogue.network(order.network);
  if (network === undefined) throw new Error(`no network ${order.network}`);
  let best: Funding = { kind: 'insufficient', shortfalls: [] };
  for (const group of sourceGroups(view, order, network.model)) {
    if (!holdsSources(group, original)) continue;
    const funding =
      network.model === 'utxo'
        ? fundFromOutputs(view, { order, network, group, original })
        : fundFromAccount(view, { order, network, source: group[0], original });
    if (funding.kind === 'funded') return funding;
    // The last word belongs to the group that came closest: one that only has to wait.
    if (best.kind === 'insufficient' && best.shortfalls.length === 0) best = funding;
    if (funding.kind === 'not-enough-utxos') best = funding;
  }
  if (best.kind === 'insufficient' && best.shortfalls.length === 0) {
    const required = order.amount.toString();
    return {
      kind: 'insufficient',
      shortfalls: [{ asset: order.asset, required, available: '0' }],
    };
  }
  return best;
}

/** Whether the order may spend from where the transaction that it outbids spends. */
export function canOutbid(view: FundingView, order: Order): boolean {
  const original = replacedBy(view, order);
  const model = view.catalogue.network(order.network)?.model ?? 'account';
  return sourceGroups(view, order, model).some((group) => holdsSources(group, original));
}

/** The nonce with which the order is sent now: its original's, or the sender's next one. */
export function nonceFor(
  view: FundingView,
  order: Order,
  plan: TransactionPlan,
): number | undefined {
  const [sender = ''] = plan.sources;
  return replacedBy(view, order)?.nonce ?? view.chain.nextNonce(order.network, sender);
}

/**
 * Whether the group has every source of the original. A replacement of other sources would conflict
 * with nothing, and both would pay.
 */
function holdsSources(
  group: readonly AddressRecord[],
  original: ChainTransaction | undefined,
): boolean {
  const own = new Set(group.map(({ networkAddress }) => networkAddress));
  return original === undefined || original.sources.every((source) => own.has(source));
}

type SourceGroup = [AddressRecord, ...AddressRecord[]];

function sourceGroups(view: FundingView, order: Order, model: 'utxo' | 'account'): SourceGroup[] {
  if (order.addressId !== null) {
    const address = view.registry.address(order.addressId);
    return address === undefined ? [] : [[address]];
  }
  const level =
    model === 'account' ? 'address' : sourceLevel(order, view.registry.vault(order.vaultId));
  const groups = new Map<string, SourceGroup>();
  for (const address of view.registry.addresses({
    vaultId: order.vaultId,
    network: order.network,
    ...(order.accountId === null ? {} : { accountId: order.accountId }),
  })) {
    const key =
      level === 'vault' ? '' : level === 'account' ? address.accountId : address.addressId;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [address]);
    else group.push(address);
  }
  return [...groups.values()];
}

/** The waiting transaction that the order outbids. */
function replacedBy(view: FundingView, order: Order): ChainTransaction | undefined {
  const original = view.orders.get(order.replacesTransactionId ?? '');
  return view.chain.transaction(original?.blockchainHash ?? '');
}
