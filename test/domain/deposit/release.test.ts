import { expect, test } from 'vitest';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { handleDepositDecision } from '../../../src/domain/deposit/person-decisions.ts';
import { ruleContext, DUE } from '../records.ts';

const NOBODY_HOLDS = 'no person holds it: it is held for';
const UNCHANGED = 'and a release does not change that';

test.for<[why: string, facts: Partial<Deposit>, says: string]>([
  ['one that is not held', {}, 'it is not held'],
  [
    'one that is halted',
    { state: 'held', reason: 'halted' },
    `${NOBODY_HOLDS} halted, ${UNCHANGED}: resume crediting`,
  ],
  [
    'one with an unregistered memo',
    { state: 'held', reason: 'unattributed_memo' },
    `${NOBODY_HOLDS} unattributed_memo, ${UNCHANGED}: name its owner`,
  ],
  [
    'one without a memo, where one is required',
    { state: 'held', reason: 'memo_required' },
    `${NOBODY_HOLDS} memo_required, ${UNCHANGED}: name its owner`,
  ],
  [
    'one that is dust',
    { state: 'held', reason: 'dust' },
    `${NOBODY_HOLDS} dust, ${UNCHANGED}: change the minimum amount in the policy`,
  ],
  [
    'one that needs an approval',
    { state: 'held', reason: 'approval_required' },
    `${NOBODY_HOLDS} approval_required, ${UNCHANGED}: approve it`,
  ],
  [
    'one whose hold ended before it was evaluated again',
    { state: 'held', reason: 'operator_hold' },
    `${NOBODY_HOLDS} operator_hold, ${UNCHANGED}`,
  ],
])('a release of %s says what helps', ([, facts, says]) => {
  const deposit = { ...DUE, ...facts };
  const decision = { kind: 'release', depositId: deposit.depositId, reason: 'fine' } as const;
  const taken = handleDepositDecision(deposit, decision, { actor: 'ann', now: ruleContext() });
  expect(taken).toEqual({ kind: 'refused', refusal: { kind: 'conflict', detail: says } });
});
