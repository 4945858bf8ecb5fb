import { expect, test } from 'vitest';
import {
  changeToken,
  tokenVersion,
  type TokenChange,
  type TokenDecision,
} from '../../../src/domain/access/token.ts';

const ACTIVE = { name: 'desk', role: 'viewer', sha256: 'aa', seq: 7 } as const;
const REVOKED = { ...ACTIVE, sha256: null };
type Known = Parameters<typeof changeToken>[1];

const reason = 'ticket 12';
const CREATE = {
  kind: 'create-token',
  name: 'desk',
  role: 'finance',
  sha256: 'bb',
  reason,
} as const;
const ROTATE = { kind: 'rotate-token', name: 'desk', sha256: 'cc', replaces: 7, reason } as const;
const REVOKE = { kind: 'revoke-token', name: 'desk', reason } as const;

function taken(role: 'viewer' | 'finance', sha256: string | null): TokenChange {
  return { kind: 'taken', token: { name: 'desk', role, sha256 } };
}

function refused(kind: 'conflict' | 'not_found' | 'stale', detail: string): TokenChange {
  return { kind: 'refused', refusal: { kind, detail } };
}

const MISSING = refused(
  'not_found',
  'no token desk was made at run time: list them with GET /v1/tokens',
);
const IS_REVOKED = refused('conflict', 'the token desk is revoked');

const CASES: [what: string, TokenDecision, Known, TokenChange][] = [
  ['a new name', CREATE, undefined, taken('finance', 'bb')],
  [
    'the name of an active token',
    CREATE,
    ACTIVE,
    refused('conflict', 'the name desk is used: a token has it; choose another name'),
  ],
  [
    'the name of a revoked token',
    CREATE,
    REVOKED,
    refused(
      'conflict',
      'the name desk is used: a token had it and is revoked; choose another name',
    ),
  ],
  ['a rotation', ROTATE, ACTIVE, taken('viewer', 'cc')],
  ['a rotation with another role', { ...ROTATE, role: 'finance' }, ACTIVE, taken('finance', 'cc')],
  ['a rotation of an unknown token', ROTATE, undefined, MISSING],
  ['a rotation of a revoked token', ROTATE, REVOKED, IS_REVOKED],
  [
    'a rotation of what was rotated meanwhile',
    { ...ROTATE, replaces: 6 },
    ACTIVE,
    refused('stale', 'the token desk was rotated since you read it'),
  ],
  ['a revocation', REVOKE, ACTIVE, taken('viewer', null)],
  [
    'a revocation of the version that was read',
    { ...REVOKE, basis: 'tok_7' },
    ACTIVE,
    taken('viewer', null),
  ],
  [
    'a revocation of what was rotated meanwhile',
    { ...REVOKE, basis: 'tok_6' },
    ACTIVE,
    refused(
      'conflict',
      'the token desk was rotated since you read it. Nothing was done: read it again, then decide',
    ),
  ],
  ['a revocation of an unknown token', REVOKE, undefined, MISSING],
  ['a second revocation', REVOKE, REVOKED, IS_REVOKED],
];

test.for(CASES)('%s', ([, decision, known, change]) => {
  expect(changeToken(decision, known)).toEqual(change);
});

test('the version of a token names the journal position of its last change', () => {
  expect(tokenVersion(12)).toBe('tok_12');
});
