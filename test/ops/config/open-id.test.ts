import { expect, test } from 'vitest';
import { openId } from '../../../src/ops/config/open-id.ts';
import { plainMessage, problemsOf } from '../../../src/ops/config/reading/plain-message.ts';

const SOUND = {
  issuer: 'https://login.example.com/realms/books',
  clientId: 'counterfoil',
  roles: { treasury: 'finance' },
};

function problems(more: object): string[] {
  const parsed = openId.safeParse({ ...SOUND, ...more }, { error: plainMessage });
  return parsed.success
    ? []
    : problemsOf(parsed.error).map(({ where, what }) => `${where}: ${what}`);
}

test('the provider needs its issuer, the client and the roles of groups', () => {
  expect(openId.parse(SOUND)).toEqual({
    ...SOUND,
    groupsClaim: 'groups',
    scope: 'openid profile email',
  });
});

const ISSUER =
  'issuer: must be the https address of the provider, as its own metadata writes it; http only on this machine';

test.for<[object, string]>([
  [{ issuer: 'http://login.example.com' }, ISSUER],
  [{ issuer: 'login.example.com' }, ISSUER],
  [{ issuer: 'https://ana:secret@login.example.com' }, ISSUER],
  [{ issuer: 'https://login.example.com?tenant=1' }, ISSUER],
  [{ scope: 'profile' }, 'scope: must hold "openid"'],
  [{ roles: {} }, 'roles: needs at least one group with its role'],
  [
    { roles: { treasury: 'boss' } },
    'roles.treasury: must be one of viewer, crediting, finance, operator, admin, auditor',
  ],
])('%o is refused', ([more, problem]) => {
  expect(problems(more)).toEqual([problem]);
});

test('a provider on this machine may speak http', () => {
  for (const host of ['127.0.0.1:8', 'localhost', '[::1]:9']) {
    expect(problems({ issuer: `http://${host}` })).toEqual([]);
  }
});

test('a group that is a number is refused, because its index in the list would be lost', () => {
  expect(problems({ roles: { 12: 'admin' } })).toHaveLength(1);
});
