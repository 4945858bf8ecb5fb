import { z } from 'zod';

/** What a client may hold (section "Permissions"); `manageNotifications` alone means every vault. */
export const permission = z.union([
  z.enum(['Vault:read', 'manageVaults', 'manageNotifications']),
  z.templateLiteral(['manageNotifications:', z.string().min(1)]),
]);
export type Permission = z.infer<typeof permission>;

/**
 * Whether the first permissions hold every one of the second, so that whoever has them gains
 * nothing by acting as the other.
 */
export function holdsAll(holder: readonly Permission[], others: readonly Permission[]): boolean {
  return others.every(
    (each) =>
      holder.includes(each) ||
      (each.startsWith('manageNotifications:') && holder.includes('manageNotifications')),
  );
}

/**
 * Whether the permissions allow writing (subscriptions, confirmations, retry schedule, replay) or
 * reading the notification settings of a vault (section "Permissions"). Writing takes
 * `manageNotifications` on the vault and `manageVaults` on the organization; reading that, or the
 * global `Vault:read`.
 */
export function mayManageNotifications(
  permissions: readonly Permission[],
  access: 'read' | 'write',
  vaultId: string,
): boolean {
  const onVault =
    permissions.includes('manageNotifications') ||
    permissions.includes(`manageNotifications:${vaultId}`);
  if (onVault && permissions.includes('manageVaults')) return true;
  return access === 'read' && permissions.includes('Vault:read');
}
