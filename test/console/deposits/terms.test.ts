import { expect, test } from 'vitest';
import { termsAt } from '../../../src/console/deposits/terms.ts';
import { AssetId, NetworkKey } from '../../../src/domain/ids.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';

const ETH = AssetId('ethereum:ETH');

function policyAt(seq: number, rule: CreditingPolicy['default']) {
  const policy = { default: rule, networks: {}, assets: {} };
  const who = { source: 'api', actor: 'ada', reason: 'r', configured: null, setAt: 0 } as const;
  return { seq, policy, ...who };
}

/** The newest first, as the store lists them. */
const POLICIES = [
  policyAt(30, { confirmations: 6, halted: true, requireMemo: true, minimumAmount: Amount(5n) }),
  policyAt(20, {
    confirmations: 6,
    oneApprovalAbove: Amount(1_000n),
    twoApprovalsAbove: Amount(5_000n),
  }),
  policyAt(10, { confirmations: 2 }),
  policyAt(5, { confirmations: 1 }),
];

const CASES: [seq: number, amount: bigint, people: string[], terms: string][] = [
  [4, 100n, ['ann'], 'an older policy decided; approved by ann'],
  [5, 100n, [], 'policy pol_5; 1 confirmation required; no approval needed'],
  [10, 9_000n, [], 'policy pol_10; 2 confirmations required; no approval needed'],
  [19, 9_000n, [], 'policy pol_10; 2 confirmations required; no approval needed'],
  [20, 1_000n, [], 'policy pol_20; 6 confirmations required; no approval needed'],
  [
    25,
    1_001n,
    ['ann'],
    'policy pol_20; 6 confirmations required; one approval needed, above 10 ETH; approved by ann',
  ],
  [29, 5_001n, [], 'policy pol_20; 6 confirmations required; two approvals needed, above 50 ETH'],
  [
    31,
    100n,
    [],
    'policy pol_30; 6 confirmations required; no approval needed; at least 0.05 ETH; memo required; crediting halted',
  ],
];

test.for(CASES)('at fact %d, of %d units: %s', ([seq, amount, people, terms]) => {
  const deposit = {
    network: NetworkKey('ethereum'),
    asset: ETH,
    amount: Amount(amount),
    attributedTo: null,
    approvals: people.map((person) => ({ person, reason: 'r', at: 0 })),
  };
  const book = { policies: POLICIES, decimals: new Map([[ETH, 2]]) };
  expect(termsAt(seq, deposit, book)).toBe(terms);
});
