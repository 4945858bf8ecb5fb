import type { ChainTransaction, TransactionPlan } from '../chain/chain-transaction.ts';
import type { AddressRecord } from '../world/world.ts';
import { fundFromAccount } from './account-funding.ts';
import type { Funding, FundingView } from './funding.ts';
import type { Order } from './order.ts';
import { fundFromOutputs } from './output-funding.ts';

/**
 * Finds the money for an order within its scope: one address on account networks, any inputs of one
 * group (address, account or vault, by the vault's source level) on UTXO networks. The first group
 * that can pay does.
 */
export function fund(view: FundingView, order: Order): Funding {
  const original = replacedBy(view, order);
  const network = view.catalogue.network(order.network);
  if (network === undefined) throw new Error(`no network ${order.network}`);
  let best: Funding = { kind: 'insufficient', shortfalls: [] };
  for (const group of sourceGroups(view, order, network.model)) {
    if (!hasNonceOf(original, group[0])) continue;
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

/** Whether the order may spend from where it must: what shares a nonce has one sender. */
export function canOutbid(view: FundingView, order: Order): boolean {
  const original = replacedBy(view, order);
  if (original?.nonce === undefined) return true;
  return sourceGroups(view, order, 'account').some(([source]) => hasNonceOf(original, source));
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

function hasNonceOf(original: ChainTransaction | undefined, source: AddressRecord): boolean {
  return original?.nonce === undefined || original.sources.includes(source.networkAddress);
}

type SourceGroup = [AddressRecord, ...AddressRecord[]];

function sourceGroups(view: FundingView, order: Order, model: 'utxo' | 'account'): SourceGroup[] {
  if (order.addressId !== null) {
    const address = view.registry.address(order.addressId);
    return address === undefined ? [] : [[address]];
  }
  const level = model === 'account' ? 'address' : view.registry.vault(order.vaultId)?.source;
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
