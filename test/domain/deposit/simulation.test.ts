import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { MATCH_MS_MAX, type Deposit } from '../../../src/domain/deposit/deposit.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { simulatePolicy } from '../../../src/domain/deposit/simulation.ts';
import { CreditId } from '../../../src/domain/ids.ts';
import { DUE } from '../records.ts';

const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: Amount(100n),
  creditedAt: 9,
  reference: 'ref-1',
};

function policy(rule: Partial<CreditingPolicy['default']> = {}): CreditingPolicy {
  return { default: { confirmations: 6, ...rule }, networks: {}, assets: {} };
}

const ONE_ABOVE_99 = policy({ oneApprovalAbove: Amount(99n) });
const DUST_BELOW_200 = policy({ minimumAmount: Amount(200n) });
const HALTED = policy({ halted: true });

/** Late enough that a match at 5 is too old for a credit. */
const AT = 5 + MATCH_MS_MAX;

type Row = [
  why: string,
  facts: Partial<Deposit>,
  current: CreditingPolicy,
  proposed: CreditingPolicy,
  is: string,
];

/** What is known, the policy in force, the proposed one, and what the simulation says. */
const ROWS: Row[] = [
  ['the same policy', {}, policy(), policy(), 'same'],
  ['an amount below the new minimum', {}, policy(), DUST_BELOW_200, 'held: credited → held dust'],
  [
    'a credited amount above the new limit',
    { credit: CREDIT },
    policy(),
    ONE_ABOVE_99,
    'held: credited → held approval_required',
  ],
  [
    'an amount above the new limit that somebody approved',
    { approvals: [{ person: 'olga', reason: 'checked', at: 3 }] },
    policy(),
    ONE_ABOVE_99,
    'same',
  ],
  ['a halt that ends', {}, HALTED, policy(), 'freed: held halted → credited'],
  [
    'a halt that ends before the custody API is asked',
    { verifiedAt: null, custodyConfirmations: 0 },
    HALTED,
    policy(),
    'freed: held halted → verifying',
  ],
  [
    'a halt that ends, of a deposit that matched too long ago',
    { matchedAt: 5 },
    HALTED,
    policy(),
    'freed: held halted → verifying',
  ],
  [
    'a halt that ends, of a deposit that matched lately',
    { matchedAt: 6 },
    HALTED,
    policy(),
    'freed: held halted → credited',
  ],
  [
    'a halt of a deposit that matched long ago and was credited then',
    { matchedAt: 5, credit: CREDIT },
    policy(),
    HALTED,
    'held: credited → held halted',
  ],
  ['a hold for another reason', {}, HALTED, DUST_BELOW_200, 'other: held halted → held dust'],
  [
    'a depth that it has not reached',
    {},
    policy(),
    policy({ confirmations: 12 }),
    'other: credited → confirming',
  ],
  ['a hold by a person', { operatorHold: 'olga' }, policy(), DUST_BELOW_200, 'same'],
  ['a rollback', { evidence: 'none' }, policy(), HALTED, 'same'],
  [
    'own transfers are credited now',
    { ownTransfer: true },
    policy(),
    policy({ creditInternal: true }),
    'other: internal → credited',
  ],
  [
    'a rule for another asset',
    {},
    policy(),
    { ...policy(), assets: { 'bitcoin:BTC': { halted: true } } },
    'same',
  ],
];

test.for(ROWS)('%s', ([, facts, current, proposed, is]) => {
  const { changed } = simulatePolicy([{ ...DUE, ...facts }], { current, proposed }, AT);
  const [one] = changed;
  const text = ({ state, reason }: Pick<Deposit, 'state' | 'reason'>): string =>
    reason === null ? state : `${state} ${reason}`;
  const said =
    one === undefined ? 'same' : `${one.effect}: ${text(one.before)} → ${text(one.after)}`;
  expect(said).toBe(is);
});

test('the order of the deposits stays, and each keeps its facts', () => {
  const deposits = [5n, 500n, 50n].map((amount) => ({ ...DUE, amount: Amount(amount) }));
  const policies = { current: policy(), proposed: DUST_BELOW_200 };
  const { changed } = simulatePolicy(deposits, policies, AT);
  expect(changed.map(({ deposit }) => deposit)).toEqual([deposits[0], deposits[2]]);
});

test('deposits that both policies hold are counted, whatever their reasons', () => {
  const deposits = [
    { ...DUE, operatorHold: 'olga' },
    { ...DUE, amount: Amount(50n) },
    { ...DUE, amount: Amount(500n), evidence: 'none' as const },
  ];
  const simulation = simulatePolicy(deposits, { current: HALTED, proposed: DUST_BELOW_200 }, AT);
  expect(simulation.heldByBoth).toBe(2);
  expect(simulation.changed.map(({ effect }) => effect)).toEqual(['other']);
});

test('a deposit that one policy alone holds is not counted as held by both', () => {
  const deposits = [50n, 500n].map((amount) => ({ ...DUE, amount: Amount(amount) }));
  const simulation = simulatePolicy(
    deposits,
    { current: DUST_BELOW_200, proposed: ONE_ABOVE_99 },
    AT,
  );
  expect(simulation.heldByBoth).toBe(0);
  expect(simulation.changed.map(({ effect }) => effect)).toEqual(['freed', 'held']);
});
