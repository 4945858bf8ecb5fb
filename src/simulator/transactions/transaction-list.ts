import type { AddressTransaction, Transaction } from '../../wire/transaction.ts';
import { effectsOf } from '../chain/chain-transaction.ts';
import type { BalanceChangeEntries } from '../chain/balance-change-entries.ts';
import type { AddressRecord } from '../world/vault.ts';
import type { TransactionQuery } from '../world/transaction.ts';
import type { FundingView } from './funding/funding.ts';
import type { IncomingBook } from './incoming/incoming-book.ts';
import type { Incoming } from './incoming/incoming.ts';
import type { OrderFlow } from './order-flow.ts';
import type { Order } from './order.ts';
import { signingBundle } from './signing-bundle.ts';

/**
 * Reads transactions in the shape of the API (the specification, section "Identifiers and records
 * that appear"). Only the rows of the page are converted.
 */
export class TransactionList {
  readonly #view: FundingView;
  readonly #incomings: IncomingBook;
  readonly #flow: OrderFlow;
  readonly #entries: BalanceChangeEntries;

  constructor(options: {
    view: FundingView;
    incomings: IncomingBook;
    flow: OrderFlow;
    entries: BalanceChangeEntries;
  }) {
    this.#view = options.view;
    this.#incomings = options.incomings;
    this.#flow = options.flow;
    this.#entries = options.entries;
  }

  get(transactionId: string): Transaction | undefined {
    const order = this.#view.orders.get(transactionId);
    if (order !== undefined) return this.outgoing(order);
    const incoming = this.#incomings.get(transactionId);
    return incoming === undefined ? undefined : this.#incoming(incoming);
  }

  find(query: TransactionQuery): { data: Transaction[]; total: number } {
    const rows: (Order | Incoming)[] = [];
    if (query.type !== 'incoming') collect(rows, this.#view.orders.list(), query);
    if (query.type !== 'outgoing') collect(rows, this.#incomings.list(), query);
    const { field, order } = query.sort ?? { field: 'createdAt', order: 'asc' };
    const time = field === 'createdAt' ? 'createdMs' : 'updatedMs';
    const sign = order === 'asc' ? 1 : -1;
    rows.sort((left, right) => sign * (left[time] - right[time] || left.sequence - right.sequence));
    const offset = query.offset ?? 0;
    const shown = rows.slice(offset, offset + (query.limit ?? rows.length));
    return {
      data: shown.map((row) => (isOrder(row) ? this.outgoing(row) : this.#incoming(row))),
      total: rows.length,
    };
  }

  /**
   * The on-chain transactions of an address, oldest first, with unaggregated entries (the
   * specification, section "Conservation rules", 6).
   */
  ofAddress(address: AddressRecord): AddressTransaction[] {
    const rows: AddressTransaction[] = [];
    const showsMempool = this.#view.catalogue.network(address.network)?.mempool ?? false;
    for (const transaction of this.#view.chain.transactionsOf(
      address.network,
      address.networkAddress,
    )) {
      const isMined = transaction.status === 'mined';
      if (transaction.status === 'mempool' && !showsMempool) continue;
      const movements = isMined ? effectsOf(transaction) : transaction.movements;
      const own = this.#entries
        .own(address.network, movements)
        .filter((movement) => movement.owner.addressId === address.addressId);
      if (own.length === 0) continue;
      rows.push({
        blockchainHash: transaction.hash,
        network: transaction.network,
        status: { mempool: 'mempool', mined: 'confirmed', dropped: 'rolledback' }[
          transaction.status
        ],
        confirmations: this.#view.chain.confirmations(transaction),
        blockHeight: transaction.blockHeight,
        balanceChanges: this.#entries.unaggregated(own),
        timestamp: new Date(transaction.minedAtMs ?? transaction.firstSeenMs).toISOString(),
      });
    }
    return rows;
  }

  outgoing(order: Order): Transaction {
    const transaction = this.#view.chain.transaction(order.blockchainHash ?? '');
    const bundle = order.status === 'to-sign' ? signingBundle(this.#view, order) : undefined;
    return {
      transactionId: order.transactionId,
      vaultId: order.vaultId,
      type: 'outgoing',
      status: order.status,
      orderId: order.orderId,
      network: order.network,
      accountId: order.accountId,
      addressId: order.addressId,
      asset: order.asset,
      amount: order.amount.toString(),
      destinationAddress: order.destinationAddress,
      memo: order.memo,
      blockchainHash: order.blockchainHash,
      confirmations: transaction === undefined ? 0 : this.#view.chain.confirmations(transaction),
      ...(order.status === 'mined' && transaction !== undefined
        ? { balanceChanges: this.#flow.balanceChanges(order, transaction) }
        : {}),
      metadata: {
        ...order.metadata,
        ...(bundle?.unsignedTransaction === undefined
          ? {}
          : { unsignedTransaction: bundle.unsignedTransaction }),
      },
      ...(order.reasonCode === null ? {} : { reasonCode: order.reasonCode }),
      ...(order.flowId === null ? {} : { flowId: order.flowId }),
      quorum: order.quorum,
      approvals: [...order.approvals, ...order.masterApprovals],
      ...(bundle === undefined
        ? {}
        : { signingPayloads: bundle.payloads.map((payload) => ({ ...payload })) }),
      createdAt: new Date(order.createdMs).toISOString(),
      updatedAt: new Date(order.updatedMs).toISOString(),
    };
  }

  #incoming(incoming: Incoming): Transaction {
    const transaction = this.#view.chain.transaction(incoming.blockchainHash);
    if (transaction === undefined) throw new Error(`no hash ${incoming.blockchainHash}`);
    return {
      transactionId: incoming.transactionId,
      vaultId: incoming.vaultId,
      type: 'incoming',
      status: incoming.status,
      orderId: incoming.orderId,
      network: incoming.network,
      accountId: incoming.accountId,
      addressId: incoming.addressId,
      destinationAddress: incoming.networkAddress,
      memo: incoming.memo,
      blockchainHash: incoming.blockchainHash,
      confirmations: this.#view.chain.confirmations(transaction),
      balanceChanges: this.#incomings.balanceChanges(incoming, transaction),
      metadata: { ...transaction.metadata },
      createdAt: new Date(incoming.createdMs).toISOString(),
      updatedAt: new Date(incoming.updatedMs).toISOString(),
    };
  }
}

function isOrder(row: Order | Incoming): row is Order {
  return 'destinationAddress' in row;
}

function collect<Row extends Order | Incoming>(
  into: (Order | Incoming)[],
  rows: Iterable<Row>,
  query: TransactionQuery,
): void {
  for (const row of rows) if (matches(row, query)) into.push(row);
}

const EXACT_FIELDS = [
  'status',
  'network',
  'vaultId',
  'blockchainHash',
  'orderId',
  'accountId',
  'addressId',
] as const;

function matches(row: Order | Incoming, query: TransactionQuery): boolean {
  for (const field of EXACT_FIELDS) {
    if (query[field] !== undefined && row[field] !== query[field]) return false;
  }
  if (query.search === undefined) return true;
  const destination = isOrder(row) ? row.destinationAddress : row.networkAddress;
  const wanted = query.search.toLowerCase();
  const texts = [row.transactionId, row.orderId, row.blockchainHash ?? '', destination];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}
