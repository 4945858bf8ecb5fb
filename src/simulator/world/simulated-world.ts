import type { Clock } from '../clock.ts';
import { ChainStream } from '../chain/chain-stream.ts';
import { Chain } from '../chain/chain.ts';
import type { ChainListener } from '../chain/chain-listener.ts';
import { BalanceChangeEntries } from '../chain/balance-change-entries.ts';
import { OutsideWorld } from '../chain/outside-world.ts';
import { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import { TransactionFaults } from '../transactions/transaction-faults.ts';
import type { FundingView } from '../transactions/funding/funding.ts';
import { IncomingBook } from '../transactions/incoming/incoming-book.ts';
import { OrderBook } from '../transactions/order-book.ts';
import { OrderActions } from '../transactions/order-actions.ts';
import { OrderFlow } from '../transactions/order-flow.ts';
import type { Order } from '../transactions/order.ts';
import { TransactionList } from '../transactions/transaction-list.ts';
import { CustodyRegistry } from '../vaults/custody-registry.ts';
import { Announcer } from './announcer.ts';
import { ChainExplorer } from './chain-explorer.ts';
import { AssetCatalogue, networkInfo } from './asset-catalogue.ts';
import { loadNetworks } from './network-config.ts';
import type { NetworkConfig } from './network-config.ts';
import { refused } from './outcome.ts';
import { Truth } from './truth.ts';
import type { Change, Creation } from './outcome.ts';
import type { ChainTip, ReorgRequest, ReorgResult } from './on-chain.ts';
import type { Outbox, World } from './world.ts';

export interface WorldOptions {
  state: State;
  clock: Clock;
  outbox: Outbox;
  /** Whether chains add blocks at their block times. */
  autoMine: boolean;
  /** Default: `config/networks.json`. */
  networks?: readonly NetworkConfig[];
}

/** Blocks that one call may add or remove. A typing error must not block the core. */
const BLOCKS_MAX = 100_000;
const REORG_DEPTH_MAX = 1_000;

/** The parts of the world, connected. */
interface Parts {
  catalogue: AssetCatalogue;
  registry: CustodyRegistry;
  chain: Chain;
  outside: OutsideWorld;
  orders: OrderBook;
  flow: OrderFlow;
  orderActions: OrderActions;
  faults: TransactionFaults;
  list: TransactionList;
  truth: Truth;
  explorer: ChainExplorer;
}

/** Builds the world on an empty or restored state and sets the timers that its rows need. */
export function createWorld(options: WorldOptions): World {
  const parts = assemble(options);
  parts.chain.resume();
  parts.flow.resume();
  return {
    ...recordCalls(parts),
    ...orderCalls(parts),
    ...chainCalls(parts),
    resume: () => {
      parts.chain.resume();
      parts.flow.resume();
    },
    stop: () => {
      parts.chain.stop();
      parts.flow.stop();
    },
  };
}

function assemble(options: WorldOptions): Parts {
  const { state, clock, outbox, autoMine } = options;
  const networks = options.networks ?? loadNetworks();
  const random = new Random(state, 'world');
  const catalogue = new AssetCatalogue(networks);
  const registry = new CustodyRegistry({ state, clock, random, catalogue });
  const announcer = new Announcer({ clock, random, outbox });
  const entries = new BalanceChangeEntries({ registry, catalogue });
  // Orders and deposits are never deleted, so their total number orders all transactions of the
  // platform.
  const nextSequence = (): number => state.table('orders').size + state.table('incomings').size + 1;
  const orders = new OrderBook({ state, clock, announcer });
  const incomings = new IncomingBook({
    state,
    clock,
    random,
    registry,
    entries,
    announcer,
    nextSequence,
  });
  const stream = new ChainStream({ state, entries, announcer });
  const faults = new TransactionFaults({ state, random });
  // The order flow needs the chain, and the chain calls the order flow. So the listener reads
  // `flow` only when it is called.
  const listener: ChainListener = listenerOf({
    flow: () => flow,
    stream,
    incomings,
    catalogue,
  });
  const chain = new Chain({ state, clock, random, networks, autoMine, listener });
  const view: FundingView = { catalogue, registry, chain, orders };
  const flow = new OrderFlow({ clock, view, faults, entries });
  return {
    catalogue,
    registry,
    chain,
    outside: new OutsideWorld({ registry, catalogue, chain }),
    orders,
    flow,
    orderActions: new OrderActions({ clock, random, view, flow, nextSequence }),
    faults,
    list: new TransactionList({ view, incomings, flow, entries }),
    truth: new Truth({ registry, chain, incomings, entries }),
    explorer: new ChainExplorer({ registry, chain }),
  };
}

/** Passes the events of the chain on, in this order: first the order, then the streams. */
function listenerOf(parts: {
  flow: () => OrderFlow;
  stream: ChainStream;
  incomings: IncomingBook;
  catalogue: AssetCatalogue;
}): ChainListener {
  const { flow, stream, incomings, catalogue } = parts;
  const reportEnd = (transaction: Parameters<ChainListener['dropped']>[0]): void => {
    if (!stream.isKnown(transaction.hash)) return;
    incomings.rollBack(transaction);
    stream.rolledBack(transaction);
  };
  return {
    accepted: (transaction) => {
      if (catalogue.network(transaction.network)?.mempool !== true) return;
      stream.seenInMempool(transaction);
      incomings.detect(transaction);
    },
    mined: (transaction) => {
      flow().mined(transaction);
      stream.confirmed(transaction);
      incomings.confirm(transaction);
    },
    deepened: (transaction, depth) => {
      incomings.deepen(transaction, depth);
      stream.deepened(transaction, depth);
    },
    unmined: (transaction) => {
      incomings.rollBack(transaction);
      stream.rolledBack(transaction);
    },
    dropped: (transaction) => {
      reportEnd(transaction);
      flow().dropped(transaction);
    },
    replaced: (transaction) => {
      reportEnd(transaction);
      flow().replaced(transaction);
    },
    blockAdded: (network) => flow().retry(network),
  };
}

function recordCalls({ catalogue, registry, chain }: Parts) {
  return {
    networks: () => catalogue.networks.map(networkInfo),
    chains: () => catalogue.networks.map(({ key }) => tipOf(chain, key)),
    createVault: registry.createVault.bind(registry),
    vault: registry.vault.bind(registry),
    vaults: registry.vaults.bind(registry),
    createAccount: registry.createAccount.bind(registry),
    account: registry.account.bind(registry),
    accounts: registry.accounts.bind(registry),
    createAddress: registry.createAddress.bind(registry),
    address: registry.address.bind(registry),
    addresses: registry.addresses.bind(registry),
    createMemo: registry.createMemo.bind(registry),
    memos: registry.memos.bind(registry),
  } satisfies Partial<World>;
}

function orderCalls(parts: Parts) {
  const { registry, orderActions, orders, list } = parts;
  const shown = (change: Change<Order>) =>
    change.kind === 'refused'
      ? change
      : { kind: change.kind, record: list.outgoing(change.record) };
  const shownCreation = (creation: Creation<Order>) =>
    creation.kind === 'refused'
      ? creation
      : { kind: creation.kind, record: list.outgoing(creation.record) };
  return {
    orderTransaction: (request) => shownCreation(orderActions.order(request)),
    approve: (decision) => shown(orderActions.handleDecision({ ...decision, decision: 'approve' })),
    reject: (decision) => shown(orderActions.handleDecision({ ...decision, decision: 'reject' })),
    cancel: (transactionId) => shown(orderActions.cancel(transactionId)),
    submitSignatures: (submission) => shown(orderActions.submitSignatures(submission)),
    masterApprovalPayload: (transactionId) => orderActions.masterApprovalPayload(transactionId),
    events: (transactionId) =>
      list.get(transactionId) === undefined ? undefined : orders.events(transactionId),
    transaction: (transactionId) => list.get(transactionId),
    transactions: (query) => list.find(query),
    addressTransactions: (addressId) => {
      const address = registry.address(addressId);
      return address === undefined ? undefined : list.ofAddress(address);
    },
  } satisfies Partial<World>;
}

function chainCalls(parts: Parts) {
  const { catalogue, chain, outside, faults, truth, explorer } = parts;
  return {
    deposit: (request) => outside.deposit(request),
    externalDebit: (request) => outside.externalDebit(request),
    mineBlocks: (network, count) => {
      if (catalogue.network(network) === undefined) {
        return refused('BR-1001', `Invalid blockchain network ${network}`);
      }
      if (!Number.isInteger(count) || count < 1 || count > BLOCKS_MAX) {
        return refused('BR-1', `count must be between 1 and ${BLOCKS_MAX}`);
      }
      chain.mine(network, count);
      return { kind: 'done' as const, record: tipOf(chain, network) };
    },
    reorg: (request) => reorg(parts, request),
    setTransactionFaults: (set, strikes) => faults.replace(set, strikes),
    transactionFaultStrikes: () => faults.strikes(),
    truthBalances: () => truth.balances(),
    truthTransactions: () => truth.transactions(),
    blocks: (network) => explorer.blocks(network),
    onChain: (hash) => explorer.transaction(hash),
  } satisfies Partial<World>;
}

function reorg({ catalogue, chain }: Parts, request: ReorgRequest): Change<ReorgResult> {
  const { network, depth } = request;
  const drop = [...new Set(request.drop)];
  if (catalogue.network(network) === undefined) {
    return refused('BR-1001', `Invalid blockchain network ${network}`);
  }
  if (!Number.isInteger(depth) || depth < 0 || depth > REORG_DEPTH_MAX) {
    return refused('BR-1', `depth must be between 0 and ${REORG_DEPTH_MAX}`);
  }
  const missing = drop.find((hash) => !chain.isDroppable(network, hash, depth));
  if (missing !== undefined) {
    return refused('NE-1', `${missing} is neither waiting nor in the last ${depth} blocks`);
  }
  const result = chain.reorg(network, { depth, drop });
  return { kind: 'done', record: { height: chain.height(network), ...result } };
}

function tipOf(chain: Chain, network: string): ChainTip {
  return {
    network,
    height: chain.height(network),
    mempool: chain.mempool.list(network).map((transaction) => transaction.hash),
  };
}
