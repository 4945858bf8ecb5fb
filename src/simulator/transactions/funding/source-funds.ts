import type { ChainTransaction, TransactionPlan } from '../../chain/chain-transaction.ts';
import type { AddressRecord } from '../../world/vault.ts';
import { fundFromAccount } from './account-funding.ts';
import type { Funding, FundingView } from './funding.ts';
import type { Order } from '../order.ts';
import { fundFromOutputs } from './output-funding.ts';
import { sourceLevel } from './source-level.ts';

/**
 * Builds a transaction that pays the order from its scope. Account networks use one address. UTXO
 * networks use any inputs of one group of addresses; the order's source level (address, account or
 * vault) makes the groups. The first group that can pay does. Throws for an unknown network.
 */
export function fund(view: FundingView, order: Order): Funding {
  const original = replacedTransaction(view, order);
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
    // Report the group that came closest: one that only has to wait for outputs.
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

/** Whether the order's scope includes every source of the transaction that it replaces. */
export function canReplace(view: FundingView, order: Order): boolean {
  const original = replacedTransaction(view, order);
  const model = view.catalogue.network(order.network)?.model ?? 'account';
  return sourceGroups(view, order, model).some((group) => holdsSources(group, original));
}

/** The nonce of the order's transaction: the nonce of its original, or the sender's next one. */
export function nonceFor(
  view: FundingView,
  order: Order,
  plan: TransactionPlan,
): number | undefined {
  const [sender = ''] = plan.sources;
  return replacedTransaction(view, order)?.nonce ?? view.chain.nextNonce(order.network, sender);
}

/**
 * Whether the group has every source of the original. With other sources there is no conflict, and
 * a block would include both transactions.
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

/** The transaction that the order replaces. */
function replacedTransaction(view: FundingView, order: Order): ChainTransaction | undefined {
  const original = view.orders.get(order.replacesTransactionId ?? '');
  return view.chain.transaction(original?.blockchainHash ?? '');
}
