import type { WarningReason } from '../../wire/event-names.ts';
import type { OutgoingStatus } from '../../wire/transaction.ts';
import type { BalanceChange } from '../../wire/balance-change.ts';
import type { Clock } from '../clock.ts';
import type { State } from '../state/state.ts';
import type { Index, Table } from '../state/table.ts';
import type { Announcer } from '../world/announcer.ts';
import type { TransactionEvent } from '../world/transaction.ts';
import type { Order } from './order.ts';

/** An event of the `outgoing` stream with its own fields. */
export type OrderEvent =
  | { type: 'approval-pending' | 'approved' | 'pending' }
  | { type: 'requested' | 'inited' | 'to-sign' | 'signed' | 'submitted' }
  | { type: 'mined'; balanceChanges: BalanceChange[] }
  | {
      type: 'warning';
      reasonCode: WarningReason;
      reasonDetails: TransactionEvent['reasonDetails'];
    }
  | { type: 'cancelled'; reasonCode: string }
  | { type: 'failed' | 'rolledback' | 'replaced' };

/**
 * Orders, their events, and the `outgoing` stream (the specification, section "Outgoing stream").
 */
export class OrderBook {
  readonly #clock: Clock;
  readonly #announcer: Announcer;
  readonly #orders: Table<Order>;
  readonly #events: Table<TransactionEvent>;
  readonly #byOrderId: Index<Order>;
  readonly #drafts: Index<Order>;
  readonly #claims: Index<Order>;
  readonly #paused: Index<Order>;
  readonly #eventsByTransaction: Index<TransactionEvent>;

  constructor(options: { state: State; clock: Clock; announcer: Announcer }) {
    this.#clock = options.clock;
    this.#announcer = options.announcer;
    this.#orders = options.state.table('orders');
    this.#events = options.state.table('transactionEvents');
    this.#byOrderId = this.#orders.index((row) => [row.orderId]);
    this.#drafts = this.#orders.index((row) =>
      row.draft === null ? [] : row.draft.plan.sources.map((source) => `${row.network}|${source}`),
    );
    this.#claims = this.#orders.index((row) => row.draft?.plan.spends ?? []);
    this.#paused = this.#orders.index((row) => (row.pause === null ? [] : [row.network]));
    this.#eventsByTransaction = this.#events.index((row) => [row.transactionId]);
  }

  get(transactionId: string): Order | undefined {
    return this.#orders.get(transactionId);
  }

  list(): IterableIterator<Order> {
    return this.#orders.list();
  }

  withOrderId(orderId: string): Order | undefined {
    return this.#byOrderId.find(orderId)[0];
  }

  /** Orders with a built, unsent transaction that spends from this address. */
  draftsFrom(network: string, networkAddress: string): Order[] {
    return this.#drafts.find(`${network}|${networkAddress}`);
  }

  /** Whether an unsent transaction has reserved this output. */
  isReserved(outpoint: string): boolean {
    return this.#claims.count(outpoint) > 0;
  }

  paused(network: string): Order[] {
    return this.#paused.find(network);
  }

  events(transactionId: string): TransactionEvent[] {
    return this.#eventsByTransaction.find(transactionId);
  }

  /** Changes fields without a notification. */
  update(order: Order, changes: Partial<Order>): Order {
    const updated: Order = { ...order, ...changes, updatedMs: this.#clock.now() };
    this.#orders.put(updated.transactionId, updated);
    return updated;
  }

  /** Sets the time of the order's next automatic step. Not visible in the API. */
  reschedule(order: Order, wakeAtMs: number): Order {
    const scheduled: Order = { ...order, wakeAtMs };
    this.#orders.put(scheduled.transactionId, scheduled);
    return scheduled;
  }

  /** Moves the order to the event's status, records the event and sends its notification. */
  advance(order: Order, event: OrderEvent, changes: Partial<Order> = {}): Order {
    const status = statusAfter(event);
    const updated = this.update(order, {
      ...changes,
      ...(status === undefined ? {} : { status }),
    });
    const id = this.#announcer.announce(outgoingAnnouncement(updated, event));
    this.#events.put(id, {
      id,
      transactionId: updated.transactionId,
      type: event.type,
      timestamp: new Date(this.#clock.now()).toISOString(),
      ...(updated.blockchainHash === null ? {} : { blockchainHash: updated.blockchainHash }),
      ...('reasonCode' in event ? { reasonCode: event.reasonCode } : {}),
      ...('reasonDetails' in event && event.reasonDetails !== undefined
        ? { reasonDetails: event.reasonDetails }
        : {}),
    });
    return updated;
  }
}

/**
 * The status after an event. Informational events do not change it; `pending` makes it `requested`.
 */
function statusAfter(event: OrderEvent): OutgoingStatus | undefined {
  switch (event.type) {
    case 'approved':
    case 'warning':
      return undefined;
    case 'pending':
      return 'requested';
    case 'approval-pending':
    case 'requested':
    case 'inited':
    case 'to-sign':
    case 'signed':
    case 'submitted':
    case 'mined':
    case 'failed':
    case 'cancelled':
    case 'replaced':
    case 'rolledback':
      return event.type;
    default:
      return event satisfies never;
  }
}

function outgoingAnnouncement(order: Order, event: OrderEvent) {
  const approving =
    event.type === 'pending' || event.type === 'approval-pending' || event.type === 'approved';
  return {
    stream: 'outgoing' as const,
    type: event.type,
    vaultId: order.vaultId,
    transactionId: order.transactionId,
    orderId: order.orderId,
    network: order.network,
    accountId: order.accountId,
    addressId: order.addressId,
    destinationAddress: order.destinationAddress,
    memo: order.memo,
    metadata: order.metadata,
    blockchainHash: order.blockchainHash,
    flowId: order.flowId,
    ...('reasonCode' in event ? { reasonCode: event.reasonCode } : {}),
    ...(event.type === 'mined' ? { balanceChanges: event.balanceChanges } : {}),
    ...(approving
      ? { quorum: order.quorum, approvals: [...order.approvals, ...order.masterApprovals] }
      : {}),
  };
}
