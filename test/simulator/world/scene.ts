import { notification as notificationSchema } from '../../../src/wire/notification.ts';
import type { Notification } from '../../../src/wire/notification.ts';
import { transaction as transactionSchema } from '../../../src/wire/transaction.ts';
import type { Transaction } from '../../../src/wire/transaction.ts';
import type { BalanceChange } from '../../../src/wire/balance-change.ts';
import { attributedMemo } from '../../../src/wire/memo-info.ts';
import { VirtualClock } from '../../../src/simulator/clock.ts';
import { State } from '../../../src/simulator/state/state.ts';
import { createWorld } from '../../../src/simulator/world/simulated-world.ts';
import type {
  AddressRecord,
  VaultRecord,
  VaultRequest,
} from '../../../src/simulator/world/vault.ts';
import type { Change, Creation } from '../../../src/simulator/world/outcome.ts';
import type { OrderRequest } from '../../../src/simulator/world/transaction.ts';
import type { World } from '../../../src/simulator/world/world.ts';
import { outsideOn } from '../outside-addresses.ts';

/** A world with an outbox that records notifications. The wire schema parses each one. */
export class Scene {
  readonly clock: VirtualClock;
  readonly state: State;
  readonly world: World;
  readonly log: Notification[] = [];
  #orders = 0;

  constructor(options: { seed?: number; autoMine?: boolean } = {}) {
    this.clock = new VirtualClock();
    this.state = new State({ seed: options.seed ?? 1 });
    this.world = createWorld({
      state: this.state,
      clock: this.clock,
      autoMine: options.autoMine ?? false,
      outbox: {
        enqueue: (vaultId, notification, { depth } = {}) => {
          const received: unknown = JSON.parse(JSON.stringify(notification));
          const parsed = notificationSchema.parse(received);
          if (parsed.vaultId !== vaultId) throw new Error('a notification of another vault');
          if (depth !== (parsed.type === 'confirmation' ? parsed['confirmations'] : undefined)) {
            throw new Error(`depth ${depth} on ${parsed.type}`);
          }
          this.log.push(notification);
        },
      },
    });
  }

  vault(request: Partial<VaultRequest> = {}): VaultRecord {
    const creation = this.world.createVault({ name: 'vault', ...request });
    if (creation.kind === 'refused') throw new Error(creation.message);
    return creation.record;
  }

  /** Creates an address in the account with this name. */
  address(vault: VaultRecord, network: string, accountName = 'main'): AddressRecord {
    const account = record(this.world.createAccount({ vaultId: vault.vaultId, name: accountName }));
    return record(this.world.createAddress({ accountId: account.accountId, network }));
  }

  /** Pays an address from outside and returns the hash. */
  pay(to: AddressRecord, symbol: string, amount: bigint, memo?: string): string {
    const asset = `${to.network}:${symbol}`;
    const output = { addressId: to.addressId, asset, amount };
    return record(
      this.world.deposit({
        network: to.network,
        outputs: [memo === undefined ? output : { ...output, memo }],
      }),
    ).blockchainHash;
  }

  /** Pays, mines to the deepest depth and drops the notifications. */
  fund(to: AddressRecord, symbol: string, amount: bigint): void {
    this.pay(to, symbol, amount);
    this.mine(to.network, 70);
    this.log.length = 0;
  }

  order(
    request: Omit<OrderRequest, 'orderId' | 'destinationAddress'> & Partial<OrderRequest>,
  ): Transaction {
    this.#orders += 1;
    return record(
      this.world.orderTransaction({
        orderId: `order-${this.#orders}`,
        destinationAddress: outsideOn(request.network),
        ...request,
      }),
    );
  }

  mine(network: string, count = 1): void {
    record(this.world.mineBlocks(network, count));
  }

  reorg(network: string, depth: number, drop: string[] = []): void {
    record(this.world.reorg({ network, depth, drop }));
  }

  transaction(transactionId: string): Transaction {
    const transaction = this.world.transaction(transactionId);
    if (transaction === undefined) throw new Error('no such transaction');
    return transactionSchema.parse(JSON.parse(JSON.stringify(transaction)));
  }

  /** Notifications since the last call, one line each. */
  received(stream?: Notification['stream']): string[] {
    const lines = this.log
      .filter((notification) => stream === undefined || notification.stream === stream)
      .map(line);
    this.log.length = 0;
    return lines;
  }
}

export function record<R>(outcome: Creation<R> | Change<R>): R {
  if (outcome.kind === 'refused') throw new Error(`${outcome.code} ${outcome.message}`);
  return outcome.record;
}

/** `stream type depth [entries]`; an entry is `amount asset tags`. */
export function line(notification: Notification): string {
  const changes = notification['balanceChanges'] as BalanceChange[] | undefined;
  return [
    notification.stream,
    notification.type,
    ...(notification.type === 'confirmation' ? [String(notification['confirmations'])] : []),
    ...(typeof notification['reasonCode'] === 'string' ? [notification['reasonCode']] : []),
    ...(changes === undefined ? [] : [`[${changes.map(entryText).join(', ')}]`]),
  ].join(' ');
}

export function entryText(change: BalanceChange): string {
  const received = attributedMemo(change.memoInfo);
  const memo = received === null ? [] : [`memo ${received}`];
  const symbol = change.asset.slice(change.asset.indexOf(':') + 1);
  return [change.amount, symbol, ...(change.tags ?? []), ...memo].join(' ');
}
