import type { SourceLevel, VaultRecord } from '../world/world.ts';
import type { Order } from './order.ts';

/**
 * The transaction's source level (section "Aggregation per stream"): what the order itself names.
 * The vault's option decides only for orders that name neither an address nor an account.
 */
export function sourceLevel(
  order: Pick<Order, 'addressId' | 'accountId'>,
  vault: VaultRecord | undefined,
): SourceLevel {
  if (order.addressId !== null) return 'address';
  if (order.accountId !== null) return 'account';
  return vault?.source ?? 'vault';
}
