import {
  mayDo,
  PERMISSIONS,
  rolesWith,
  type Permission,
  type Role,
} from '../../domain/access/role.ts';

/** `finance, operator or admin` */
function listed(roles: readonly Role[], word: 'and' | 'or'): string {
  const last = roles.at(-1) ?? '';
  return roles.length < 2 ? last : `${roles.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** Whom to ask for an action: `a person with role operator or admin`. */
export function personWith(permission: Permission): string {
  return `a person with role ${listed(rolesWith(permission), 'or')}`;
}

/** Why a role may not do something, and whom to ask. */
export function roleRefusal(role: Role, permission: Permission): string {
  const roles = rolesWith(permission);
  const [who, whom] = roles.length === 1 ? ['role', 'that role'] : ['roles', 'one of these roles'];
  return `Only the ${who} ${listed(roles, 'and')} may ${PERMISSIONS[permission]}. Your role is ${role}: ask a person with ${whom}.`;
}

/** What a reader finds no button for. */
const ACTS = {
  'decide-deposits': 'decide about deposits',
  'work-on-breaks': 'work on breaks',
} as const satisfies Partial<Record<Permission, string>>;

/**
 * Why a reader finds no button to act; null when their role may. `role`: undefined for a stranger in
 * a public console.
 */
export function missingRole(
  role: Role | undefined,
  permission: keyof typeof ACTS = 'decide-deposits',
): string | null {
  if (role !== undefined && mayDo(role, permission)) return null;
  return role === undefined
    ? `To ${ACTS[permission]}, sign in with role ${listed(rolesWith(permission), 'or')}.`
    : `Your role (${role}) cannot ${ACTS[permission]}: ask ${personWith(permission)}.`;
}
