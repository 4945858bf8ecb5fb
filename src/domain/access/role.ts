/** Kinds of actions that a role may have, each with what it allows. */
export const PERMISSIONS = {
  read: 'read the books, deposits, breaks, runs, reports and the policy',
  'read-bodies': 'read the bytes of notifications and other facts',
  'read-settings': 'read the settings in force, and what the checks find',
  'read-access': 'read who has tokens and who has signed in',
  acknowledge: 'acknowledge credits',
  'decide-deposits': 'approve, hold and release deposits, and name their owners',
  'work-on-breaks': 'assign, investigate, note, resolve and exempt breaks',
  'retry-quarantine': 'retry quarantined bodies',
  reconcile: 'start a reconciliation',
  'close-days': 'close days and sign their reports',
  halt: 'halt and resume crediting',
  'change-policy': 'replace the crediting policy',
  'correct-decimals': 'correct the decimals of an asset',
  'manage-access': 'create, rotate and revoke tokens, and sign people out',
} as const satisfies Record<string, string>;
export type Permission = keyof typeof PERMISSIONS;

/** What each role may do. A role is a set: none includes another by its name. */
const PERMISSIONS_OF = {
  viewer: ['read'],
  crediting: ['read', 'acknowledge'],
  finance: ['read', 'read-bodies', 'work-on-breaks', 'close-days'],
  operator: [
    'read',
    'read-bodies',
    'read-settings',
    'acknowledge',
    'decide-deposits',
    'work-on-breaks',
    'retry-quarantine',
    'reconcile',
    'close-days',
    'halt',
  ],
  admin: Object.keys(PERMISSIONS) as Permission[],
  auditor: ['read', 'read-bodies', 'read-settings', 'read-access'],
} as const satisfies Record<string, readonly Permission[]>;

/** The role of a token or a person. */
export type Role = keyof typeof PERMISSIONS_OF;

export const ROLES = Object.keys(PERMISSIONS_OF) as readonly Role[];

/** Whether a role has a permission. */
export function mayDo(role: Role, permission: Permission): boolean {
  return (PERMISSIONS_OF[role] as readonly Permission[]).includes(permission);
}

/** Every role that has a permission, in the order of `ROLES`. */
export function rolesWith(permission: Permission): Role[] {
  return ROLES.filter((role) => mayDo(role, permission));
}
