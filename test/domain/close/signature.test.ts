import { expect, test } from 'vitest';
import type { SignatureRole } from '../../../src/domain/close/record.ts';
import { handleSignature, type CloseSignature } from '../../../src/domain/close/signature.ts';

const REPORT = { day: '2026-03-01', reportHash: 'ab12' };

function signature(role: SignatureRole, person: string): CloseSignature {
  return { role, person, reason: 'checked', reportHash: 'ab12', signedAt: 7 };
}

const PREPARED = [signature('preparer', 'ann')];
const REVIEWED = [...PREPARED, signature('reviewer', 'bob')];

/** Who signs as what, what they saw, what is signed already, and what comes of it. */
const SIGNINGS: [
  person: string,
  role: SignatureRole,
  saw: string,
  signed: CloseSignature[],
  is: string,
][] = [
  ['ann', 'preparer', 'ab12', [], 'signed'],
  ['bob', 'reviewer', 'ab12', PREPARED, 'signed'],
  ['ann', 'preparer', 'ab12', PREPARED, 'known'],
  ['ann', 'preparer', 'ab12', REVIEWED, 'known'],
  ['bob', 'reviewer', 'ab12', REVIEWED, 'known'],
  [
    'cat',
    'preparer',
    'ab12',
    PREPARED,
    '2026-03-01 was signed by ann as preparer: sign it as reviewer',
  ],
  [
    'cat',
    'preparer',
    'ab12',
    REVIEWED,
    '2026-03-01 was signed by ann as preparer, and bob as reviewer: nothing is left to sign',
  ],
  [
    'cat',
    'reviewer',
    'ab12',
    REVIEWED,
    '2026-03-01 was signed by bob as reviewer: nothing is left to sign',
  ],
  ['bob', 'reviewer', 'ab12', [], 'nobody has prepared 2026-03-01 yet: the preparer signs first'],
  [
    'ann',
    'reviewer',
    'ab12',
    PREPARED,
    'the reviewer must be another person: ann prepared 2026-03-01',
  ],
  [
    'ann',
    'preparer',
    'cd34',
    [],
    'the report of 2026-03-01 has another hash, ab12: read this report, then sign it',
  ],
  [
    'bob',
    'reviewer',
    'cd34',
    PREPARED,
    'the report of 2026-03-01 has another hash, ab12: read this report, then sign it',
  ],
  [
    'bob',
    'reviewer',
    'cd34',
    REVIEWED,
    'the report of 2026-03-01 has another hash, ab12: read this report, then sign it',
  ],
];

test.for(SIGNINGS)('%s as %s, who saw %s', ([person, role, saw, signed, is]) => {
  const answer = handleSignature(REPORT, signed, { role, person, reportHash: saw });
  const text = answer.kind === 'refused' ? answer.refusal : answer.kind;
  const refused = is.includes(' ');
  expect(text).toEqual(refused ? { kind: 'conflict', detail: is } : is);
});
