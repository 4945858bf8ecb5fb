import type { BalanceChange } from '../../../../src/wire/balance-change.ts';
import type { Notification } from '../../../../src/wire/notification.ts';
import type { Json } from '../../call.ts';
import { changesOf } from '../notification-line.ts';
import type { Stage, Vault } from '../stage.ts';

/** Every notification of an order that is mined at once. */
export async function minedOrder(
  stage: Stage,
  vault: Vault,
  order: Json & { asset: string },
): Promise<Notification[]> {
  await stage.order(vault, order);
  await stage.forget();
  await stage.mine(order.asset.split(':')[0] ?? '');
  return stage.notifications();
}

/** Entries of the only notification of that stream and type. */
export function entriesOf(
  received: readonly Notification[],
  stream: string,
  type: string,
): BalanceChange[] {
  const [found, ...more] = received.filter((each) => each.stream === stream && each.type === type);
  if (more.length > 0) throw new Error(`${more.length + 1} of ${stream} ${type}`);
  return changesOf(found);
}

/** Sum of all entries per asset of these notifications. */
export function sumOf(
  received: readonly Notification[],
  ...kinds: string[]
): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const each of received.filter(({ stream, type }) => kinds.includes(`${stream} ${type}`))) {
    for (const { asset, amount } of changesOf(each)) {
      sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount));
    }
  }
  return Object.fromEntries([...sums].map(([asset, sum]) => [asset, sum.toString()]));
}
