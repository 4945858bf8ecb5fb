import { describe, expect, test } from 'vitest';
import { changedSince, versionText, withoutBasis } from '../../../src/domain/fact/basis.ts';
import { DepositId } from '../../../src/domain/ids.ts';

type Parts = Parameters<typeof versionText>[0];

const READ: Parts = [
  ['epoch', 0],
  ['amount', '100'],
  ['owner', null],
  ['hold by a person', false],
  ['list of approvals', []],
];
const BASIS = versionText(READ);

/** The parts that were read, with others in place of some. */
function now(changes: Record<string, Parts[number][1]>): Parts {
  return READ.map(([name, value]) => [name, name in changes ? (changes[name] ?? null) : value]);
}

const DO = 'Nothing was done: read it again, then decide';

const CASES: [name: string, parts: Parts, basis: string | undefined, says: string | null][] = [
  ['the same version', READ, BASIS, null],
  ['no basis', now({ amount: '120' }), undefined, null],
  ['another amount', now({ amount: '120' }), BASIS, `its amount was 100 and is 120 now. ${DO}`],
  ['an owner', now({ owner: 'ann' }), BASIS, `its owner was none and is ann now. ${DO}`],
  [
    'a hold and approvals',
    now({ 'hold by a person': true, 'list of approvals': ['ann', 'bob'] }),
    BASIS,
    `its hold by a person was no and is yes now; its list of approvals was none and is ann, bob now. ${DO}`,
  ],
];

describe('a decision’s basis', () => {
  test.for(CASES)('%s', ([, parts, basis, says]) => {
    const prefix = 'it changed since you read it: ';
    expect(changedSince(parts, basis)).toBe(says === null ? null : prefix + says);
  });

  test.for(['', 'pol_1', '{}', '[1]', '[0,"100"'])('%j is no version of it', (basis) => {
    expect(changedSince(READ, basis)).toBe(
      'the basis is none of its versions: read it again, and send its version unchanged',
    );
  });
});

test('a decision from the journal loses its basis and nothing else', () => {
  const hold = { kind: 'hold', depositId: DepositId('dep_1'), reason: 'odd' } as const;
  expect(withoutBasis({ ...hold, basis: BASIS })).toEqual(hold);
  expect(withoutBasis(hold)).toBe(hold);
});
