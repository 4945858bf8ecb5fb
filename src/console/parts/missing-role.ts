import { mayDo, rolesWith, type Role } from '../../domain/access/role.ts';

/**
 * Why a reader finds no button to decide about a deposit; null when their role may. `role`:
 * undefined for a stranger in a public console.
 */
export function missingRole(role: Role | undefined): string | null {
  if (role !== undefined && mayDo(role, 'decide-deposits')) return null;
  const roles = rolesWith('decide-deposits').join(' or ');
  return role === undefined
    ? `To decide about deposits, sign in with role ${roles}.`
    : `Your role (${role}) cannot decide about deposits: ask a person with role ${roles}.`;
}
