import { z } from 'zod';

/**
 * A permission of a client (the specification, section "Permissions"). `manageNotifications` alone
 * is for every vault.
 */
export const permission = z.union([
  z.enum(['Vault:read', 'manageVaults', 'manageNotifications']),
  z.templateLiteral(['manageNotifications:', z.string().min(1)]),
]);
export type Permission = z.infer<typeof permission>;

/**
 * Whether `holder` includes every permission of `others`. A client with them gains nothing by
 * acting as the other one.
 */
export function holdsAll(holder: readonly Permission[], others: readonly Permission[]): boolean {
  return others.every(
    (each) =>
      holder.includes(each) ||
      (each.startsWith('manageNotifications:') && holder.includes('manageNotifications')),
  );
}

/**
 * Whether the permissions allow reading or writing the notification settings of a vault (the
 * specification, section "Permissions"). Writing needs `manageNotifications` on the vault and
 * `manageVaults` on the organization. Reading needs these two, or the global `Vault:read`.
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
