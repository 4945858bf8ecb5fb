import type { SourceLevel, VaultRecord } from '../../world/vault.ts';
import type { Order } from '../order.ts';

/**
 * The source level of the order: the address or account that it names, otherwise the vault's option
 * (the specification, section "Aggregation per stream").
 */
export function sourceLevel(
  order: Pick<Order, 'addressId' | 'accountId'>,
  vault: VaultRecord | undefined,
): SourceLevel {
  if (order.addressId !== null) return 'address';
  if (order.accountId !== null) return 'account';
  return vault?.source ?? 'vault';
}
