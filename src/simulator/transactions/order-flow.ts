import { WARNING_REASONS } from '../../wire/event-names.ts';
import type { CancellationReason, WarningReason } from '../../wire/event-names.ts';
import type { Clock, Handle } from '../clock.ts';
import { effectsOf } from '../chain/chain-transaction.ts';
import type { ChainTransaction, Output, TransactionPlan } from '../chain/chain-transaction.ts';
import type { BalanceChangeEntries } from '../chain/balance-change-entries.ts';
import type { BalanceChange } from '../../wire/balance-change.ts';
import type { TransactionEvent, TransactionFault } from '../world/transaction.ts';
import type { TransactionFaults } from './transaction-faults.ts';
import type { Funding, FundingView } from './funding/funding.ts';
import { isIncomingCredit } from './incoming/incoming.ts';
import type { OrderBook } from './order-book.ts';
import {
  APPROVAL_WINDOW_MS,
  RETRY_INTERVAL_MS,
  RETRY_WINDOW_MS,
  SIGNING_WINDOW_MS,
} from './order.ts';
import type { Order } from './order.ts';
import { canReplace, fund, nonceFor } from './funding/source-funds.ts';
import { sourceLevel } from './funding/source-level.ts';

/** Why an order is paused. Only the reasons in `WARNING_REASONS` make a `warning` notification. */
type PauseCause = {
  reasonCode: CancellationReason;
  reasonDetails?: TransactionEvent['reasonDetails'];
};

/** Faults that strike before the broadcast. */
type BuildingFault = Exclude<TransactionFault, { fault: 'revert' }>;

/**
 * Moves orders through the outgoing progress table (the specification, section "Outgoing
 * transaction progress"). Each order goes as far as it can without approvals, signatures or blocks.
 */
export class OrderFlow {
  readonly #clock: Clock;
  readonly #view: FundingView;
  readonly #orders: OrderBook;
  readonly #faults: TransactionFaults;
  readonly #entries: BalanceChangeEntries;
  readonly #wakes = new Map<string, Handle>();

  constructor(options: {
    clock: Clock;
    view: FundingView;
    faults: TransactionFaults;
    entries: BalanceChangeEntries;
  }) {
    this.#clock = options.clock;
    this.#view = options.view;
    this.#orders = options.view.orders;
    this.#faults = options.faults;
    this.#entries = options.entries;
  }

  /** Starts a new order: it waits for approvals, or is processed at once. */
  begin(order: Order): Order {
    if (order.quorum > 0) {
      const pending = this.#orders.advance(order, { type: 'approval-pending' });
      return this.#wakeAt(pending, this.#clock.now() + APPROVAL_WINDOW_MS);
    }
    return this.process(this.#orders.advance(order, { type: 'pending' }));
  }

  /** Starts the blockchain attempt after all approvals. */
  process(order: Order): Order {
    return this.#build(this.#orders.advance(order, { type: 'requested' }, { wakeAtMs: null }));
  }

  /** Signs the built order, or waits for the external signer. */
  sign(order: Order): Order {
    if (this.#view.registry.vault(order.vaultId)?.externalSigner === true) {
      const unsigned = this.#orders.advance(order, { type: 'to-sign' });
      return this.#wakeAt(unsigned, this.#clock.now() + SIGNING_WINDOW_MS);
    }
    return this.submit(order);
  }

  /** Broadcasts the signed order. */
  submit(order: Order): Order {
    const { draft } = order;
    if (draft === null) throw new Error(`order ${order.orderId} has nothing to broadcast`);
    this.#unschedule(order);
    // Due blocks come first: they can take nonces.
    this.#view.chain.catchUp(order.network);
    const signed = this.#orders.advance(order, { type: 'signed' }, { wakeAtMs: null });
    const objection = this.#objection(signed);
    if (objection !== undefined) return this.cancel(signed, objection);
    const hash = this.#view.chain.nextHash(order.network);
    const nonce = nonceFor(this.#view, signed, draft.plan);
    const metadata = nonce === undefined ? signed.metadata : { ...signed.metadata, nonce };
    const submitted = this.#orders.advance(
      signed,
      { type: 'submitted' },
      { blockchainHash: hash, draft: null, metadata },
    );
    this.#broadcast(submitted, draft.plan, { hash, nonce });
    return this.#orders.get(order.transactionId) ?? submitted;
  }

  cancel(order: Order, reasonCode: CancellationReason): Order {
    this.#unschedule(order);
    return this.#orders.advance(
      order,
      { type: 'cancelled', reasonCode },
      { reasonCode, draft: null, pause: null, wakeAtMs: null },
    );
  }

  /** Tries paused orders of the network again, because balances may have grown. */
  retry(network: string): void {
    for (const order of this.#orders.paused(network)) {
      const waitsForFunds =
        order.pause?.reasonCode === 'insufficient_balance' ||
        order.pause?.reasonCode === 'not_enough_utxos';
      if (waitsForFunds) this.#build(order);
    }
  }

  mined(transaction: ChainTransaction): void {
    const order = this.#orders.get(transaction.transactionId ?? '');
    // After a reorg the transaction can be mined again. The order stays `mined` or `failed`, and no
    // notification follows.
    if (order?.status !== 'submitted') return;
    if (transaction.reverts) this.#orders.advance(order, { type: 'failed' });
    else {
      const balanceChanges = this.balanceChanges(order, transaction);
      this.#orders.advance(order, { type: 'mined', balanceChanges });
    }
  }

  dropped(transaction: ChainTransaction): void {
    const order = this.#orders.get(transaction.transactionId ?? '');
    if (order?.status === 'submitted' || order?.status === 'mined') {
      this.#orders.advance(order, { type: 'rolledback' });
    }
  }

  replaced(transaction: ChainTransaction): void {
    const order = this.#orders.get(transaction.transactionId ?? '');
    if (order?.status === 'submitted') this.#orders.advance(order, { type: 'replaced' });
  }

  /**
   * Entries of `outgoing`/`mined`: the vault's movements that no `incoming` notification carries
   * (the specification, section "Conservation rules", 1 to 3).
   */
  balanceChanges(order: Order, transaction: ChainTransaction): BalanceChange[] {
    const level = sourceLevel(order, this.#view.registry.vault(order.vaultId));
    const own = this.#entries
      .own(transaction.network, effectsOf(transaction))
      .filter((movement) => movement.owner.vaultId === order.vaultId)
      .filter((movement) => !isIncomingCredit(transaction, movement));
    return this.#entries.collapsed(own, level);
  }

  /** Sets the timers again, after a restore. */
  resume(): void {
    this.stop();
    for (const order of this.#orders.list()) this.#schedule(order);
  }

  stop(): void {
    for (const handle of this.#wakes.values()) this.#clock.cancel(handle);
    this.#wakes.clear();
  }

  /** Returns why the order can never be sent, for any balances. */
  #objection(order: Order): CancellationReason | undefined {
    const network = this.#view.catalogue.network(order.network);
    if (network?.dustAmount !== undefined && order.amount < network.dustAmount) {
      return 'invalid_order';
    }
    if (order.replacesTransactionId === null) return undefined;
    const original = this.#orders.get(order.replacesTransactionId);
    if (original?.status !== 'submitted') return 'replacement_status_invalid';
    return canReplace(this.#view, order) ? undefined : 'invalid_order';
  }

  /**
   * Tries to build the transaction and to have it signed. First faults strike; then the source must
   * cover amount plus fee. The order becomes `inited`, or stays `requested` when the transaction
   * cannot be built.
   */
  #build(order: Order): Order {
    const objection = this.#objection(order);
    if (objection !== undefined) return this.cancel(order, objection);
    const fault =
      this.#faults.strike('processing', order) ??
      this.#faults.strike('cancel', order) ??
      this.#faults.strike('pause', order);
    const funding = fund(this.#view, order);
    const obstacle = buildingObstacle(fault, funding);
    if (obstacle !== undefined) return this.#pause(order, { reasonCode: obstacle });
    const built =
      order.status === 'requested' ? this.#orders.advance(order, { type: 'inited' }) : order;
    if (fault !== undefined) return this.#applyFault(built, fault, funding);
    if (funding.kind === 'funded') return this.#takeDraft(built, funding.plan);
    return this.#pause(built, causeOf('insufficient_balance', funding));
  }

  /** Applies a fault to a built transaction. */
  #applyFault(order: Order, fault: BuildingFault, funding: Funding): Order {
    switch (fault.fault) {
      case 'processing':
        this.#unschedule(order);
        return this.#orders.advance(order, { type: 'failed' }, { pause: null, wakeAtMs: null });
      case 'cancel':
        return this.cancel(order, fault.reasonCode);
      case 'pause':
        return this.#pause(order, causeOf(fault.reasonCode, funding));
      default:
        return fault satisfies never;
    }
  }

  #takeDraft(order: Order, plan: TransactionPlan): Order {
    this.#unschedule(order);
    const inputs = plan.spends.map((outpoint) => this.#inputOf(outpoint));
    const built = this.#orders.update(order, {
      draft: { plan, inputs },
      metadata: { ...order.metadata, ...plan.metadata },
      pause: null,
      reasonCode: null,
      wakeAtMs: null,
    });
    const vault = this.#view.registry.vault(order.vaultId);
    if (vault?.masterApproval === null) return this.sign(built);
    return this.#wakeAt(built, this.#clock.now() + SIGNING_WINDOW_MS);
  }

  #inputOf(outpoint: string): Output {
    const output = this.#view.chain.ledger.output(outpoint);
    if (output === undefined) throw new Error(`no output ${outpoint}`);
    return { networkAddress: output.networkAddress, amount: output.amount };
  }

  /**
   * Pauses the order without changing its status. Sends one warning per reason and retries until
   * the platform's retry window ends.
   */
  #pause(order: Order, cause: PauseCause): Order {
    const nowMs = this.#clock.now();
    const { reasonCode } = cause;
    const sinceMs = order.pause?.sinceMs ?? nowMs;
    const deadlineMs = sinceMs + RETRY_WINDOW_MS;
    if (nowMs >= deadlineMs) return this.cancel(order, reasonCode);
    let paused = order;
    const changes = { pause: { reasonCode, sinceMs }, reasonCode };
    if (order.pause?.reasonCode !== reasonCode) {
      paused = isWarning(reasonCode)
        ? this.#orders.advance(
            order,
            { type: 'warning', reasonCode, reasonDetails: cause.reasonDetails },
            changes,
          )
        : this.#orders.update(order, changes);
    }
    return this.#wakeAt(paused, Math.min(nowMs + RETRY_INTERVAL_MS, deadlineMs));
  }

  #broadcast(
    order: Order,
    plan: TransactionPlan,
    details: { hash: string; nonce: number | undefined },
  ): void {
    const network = this.#view.catalogue.network(order.network);
    const original = this.#orders.get(order.replacesTransactionId ?? '');
    // UTXO networks check scripts before a block includes the transaction, so only account networks
    // revert.
    const reverts =
      network?.model === 'account' && this.#faults.strike('revert', order) !== undefined;
    this.#view.chain.broadcast(plan, {
      ...details,
      transactionId: order.transactionId,
      reverts,
      replaces: original?.blockchainHash ?? null,
    });
  }

  /** Runs the order's timer: its window has closed, or a retry is due. */
  #wake(transactionId: string): void {
    this.#wakes.delete(transactionId);
    const order = this.#orders.get(transactionId);
    if (order === undefined || order.wakeAtMs === null) return;
    if (order.status === 'approval-pending') this.cancel(order, 'order_expired');
    else if (order.pause === null) this.cancel(order, 'transaction_expired');
    else if (this.#clock.now() >= order.pause.sinceMs + RETRY_WINDOW_MS) {
      this.cancel(order, order.pause.reasonCode);
    } else this.#build(order);
  }

  #wakeAt(order: Order, wakeAtMs: number): Order {
    this.#unschedule(order);
    const scheduled = this.#orders.reschedule(order, wakeAtMs);
    this.#schedule(scheduled);
    return scheduled;
  }

  #schedule(order: Order): void {
    const { transactionId, wakeAtMs } = order;
    if (wakeAtMs === null) return;
    const handle = this.#clock.at(wakeAtMs, () => this.#wake(transactionId));
    this.#wakes.set(transactionId, handle);
  }

  #unschedule(order: Order): void {
    const handle = this.#wakes.get(order.transactionId);
    if (handle !== undefined) this.#clock.cancel(handle);
    this.#wakes.delete(order.transactionId);
  }
}

/**
 * Returns why the transaction cannot be built at all; undefined when it can. This pause makes no
 * `warning`.
 */
function buildingObstacle(
  fault: BuildingFault | undefined,
  funding: Funding,
): CancellationReason | undefined {
  if (fault === undefined) {
    return funding.kind === 'not-enough-utxos' ? 'not_enough_utxos' : undefined;
  }
  const isEarly =
    fault.fault === 'pause' &&
    (fault.reasonCode === 'not_enough_utxos' || fault.reasonCode === 'network_maintenance');
  return isEarly ? fault.reasonCode : undefined;
}

/** An `insufficient_balance` pause carries its shortfalls, a fault's too. */
function causeOf(reasonCode: CancellationReason, funding: Funding): PauseCause {
  if (reasonCode !== 'insufficient_balance') return { reasonCode };
  const shortfalls = funding.kind === 'insufficient' ? funding.shortfalls : [];
  return { reasonCode, reasonDetails: { shortfalls } };
}

function isWarning(reasonCode: CancellationReason): reasonCode is WarningReason {
  return WARNING_REASONS.some((each) => each === reasonCode);
}
