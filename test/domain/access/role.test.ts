import { expect, test } from 'vitest';
import { mayDo, PERMISSIONS, ROLES, rolesWith } from '../../../src/domain/access/role.ts';
import type { Permission, Role } from '../../../src/domain/access/role.ts';

/** Which roles have a permission; every permission has a row. */
const TABLE: Record<Permission, readonly Role[]> = {
  read: ['viewer', 'crediting', 'finance', 'operator', 'admin', 'auditor'],
  'read-bodies': ['finance', 'operator', 'admin', 'auditor'],
  'read-settings': ['operator', 'admin', 'auditor'],
  'read-access': ['admin', 'auditor'],
  acknowledge: ['crediting', 'operator', 'admin'],
  'decide-deposits': ['operator', 'admin'],
  'work-on-breaks': ['finance', 'operator', 'admin'],
  'retry-quarantine': ['operator', 'admin'],
  reconcile: ['operator', 'admin'],
  'close-days': ['finance', 'operator', 'admin'],
  halt: ['operator', 'admin'],
  'change-policy': ['admin'],
  'correct-decimals': ['admin'],
  'manage-access': ['admin'],
};

test.for(Object.keys(PERMISSIONS) as Permission[])('%s is for the roles of the table', (one) => {
  expect(rolesWith(one)).toEqual(TABLE[one]);
  expect(ROLES.filter((role) => mayDo(role, one))).toEqual(TABLE[one]);
});

test('an auditor reads everything and acts on nothing', () => {
  const may = (Object.keys(PERMISSIONS) as Permission[]).filter((one) => mayDo('auditor', one));
  expect(may).toEqual(['read', 'read-bodies', 'read-settings', 'read-access']);
});
