import type { Change } from '../../../src/simulator/world/outcome.ts';
import type { OrderRequest } from '../../../src/simulator/world/transaction.ts';
import type { World } from '../../../src/simulator/world/world.ts';
import { outsideOn } from '../outside-addresses.ts';

/** More rounds than the nonce gaps of one sender in any test. */
const ROUNDS_MAX = 100;
const FEES = 10n ** 16n;

/**
 * Mines until no transaction waits. A sender with transactions behind a nonce gap is paid their
 * cost and that of one more transaction. It sends that one, which fills the gap. Clear the
 * network's faults before. `approvers` are the approvers of every vault that has any.
 */
export function fillGaps(world: World, network: string, approvers: readonly string[] = []): void {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    done(world.mineBlocks(network, 1));
    const senders = pendingSenders(world, network);
    if (senders.size === 0) return;
    for (const [addressId, reserved] of senders) {
      const asset = nativeAsset(world, network);
      done(world.deposit({ network, outputs: [{ addressId, asset, amount: reserved + FEES }] }));
    }
    done(world.mineBlocks(network, 1));
    for (const addressId of senders.keys()) {
      sendOne(
        world,
        { orderId: `gap-filler-${round}-${addressId}`, network, addressId },
        approvers,
      );
    }
  }
  throw new Error(`transactions still wait on ${network} after ${ROUNDS_MAX} rounds`);
}

/** Custody addresses with pending transactions, and the native amount that these will take. */
function pendingSenders(world: World, network: string): Map<string, bigint> {
  const native = nativeAsset(world, network);
  const senders = new Map<string, bigint>();
  for (const transaction of world.truthTransactions()) {
    if (transaction.network !== network || transaction.status !== 'mempool') continue;
    for (const { addressId, asset, amount } of transaction.movements) {
      if (amount >= 0n) continue;
      const before = senders.get(addressId) ?? 0n;
      senders.set(addressId, asset === native ? before - amount : before);
    }
  }
  return senders;
}

function sendOne(
  world: World,
  order: Pick<OrderRequest, 'orderId' | 'network'> & { addressId: string },
  approvers: readonly string[],
): void {
  const vaultId = world.address(order.addressId)?.vaultId ?? '';
  const asset = nativeAsset(world, order.network);
  const creation = world.orderTransaction({
    ...order,
    vaultId,
    asset,
    amount: 1n,
    destinationAddress: outsideOn(order.network),
  });
  if (creation.kind === 'refused') throw new Error(creation.message);
  const { transactionId, status } = creation.record;
  if (status !== 'approval-pending') return;
  for (const clientId of approvers) done(world.approve({ transactionId, clientId }));
}

function nativeAsset(world: World, network: string): string {
  const native = world.networks().find(({ key }) => key === network)?.nativeAsset;
  if (native === undefined) throw new Error(`no network ${network}`);
  return native;
}

function done(change: Change<unknown>): void {
  if (change.kind === 'refused') throw new Error(change.message);
}
