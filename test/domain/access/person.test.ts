import { expect, test } from 'vitest';
import { personName, roleOfGroups } from '../../../src/domain/access/person.ts';

test.for([
  [{ email: 'Ana@Books.Test' }, 'person:ana@books.test'],
  [{ email: 'ana@books.test', emailVerified: true }, 'person:ana@books.test'],
  [{ email: 'ana@books.test', emailVerified: false }, 'person:id-7'],
  [{ email: 'ana@books.test', emailVerified: 'true' }, 'person:ana@books.test'],
  [{ email: 'ana@books.test', emailVerified: 'false' }, 'person:id-7'],
  [{ email: 'ana@books.test', emailVerified: 0 }, 'person:id-7'],
  [{}, 'person:id-7'],
  [{ email: 7 }, 'person:id-7'],
  [{ email: '' }, 'person:id-7'],
  [{ email: 'ana' }, 'person:id-7'],
  [{ email: 'ana@books.test and ben@books.test' }, 'person:id-7'],
  [{ email: 'ana@books.test\u{202e}' }, 'person:id-7'],
  // 254 characters are the longest address.
  [{ email: `${'a'.repeat(250)}@b.c` }, `person:${'a'.repeat(250)}@b.c`],
  [{ email: `${'a'.repeat(251)}@b.c` }, 'person:id-7'],
] as const)('%o is journalled as %s', ([claims, name]) => {
  expect(personName({ sub: 'id-7', ...claims })).toBe(name);
});

const LISTED = [
  { group: 'admins', role: 'admin' },
  { group: 'treasury', role: 'finance' },
  { group: 'all', role: 'viewer' },
] as const;

test.for([
  [['all', 'treasury', 'admins'], 'admin'],
  [['all', 'treasury'], 'finance'],
  [['Treasury'], undefined],
  [[], undefined],
] as const)('the groups %j have the role %s: the first listed group counts', ([groups, role]) => {
  expect(roleOfGroups(groups, LISTED)?.role).toBe(role);
});
