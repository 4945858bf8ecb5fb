import { expect, test } from 'vitest';
import { subjectOf, type Decision } from '../../../src/domain/fact/decision.ts';
import { AssetId, BreakId, CreditId, DepositId } from '../../../src/domain/ids.ts';

const reason = 'checked';
const rule = { rule: 'known-fork', owner: 'ann', reason, until: 9 };

test.for<[decision: Decision, subject: string | undefined]>([
  [{ kind: 'hold', depositId: DepositId('dep_1'), reason }, 'dep_1'],
  [{ kind: 'resolve', breakId: BreakId('brk_1'), reason }, 'brk_1'],
  [{ kind: 'retry', quarantineId: 'qtn_1', reason }, 'qtn_1'],
  [{ kind: 'acknowledge', creditId: CreditId('crd_1'), reference: 'r-1' }, 'crd_1'],
  [{ kind: 'close-now', day: '2025-11-20', reason }, '2025-11-20'],
  [{ kind: 'decimals', asset: AssetId('ethereum:ETH'), decimals: 18, reason }, 'ethereum:ETH'],
  [{ kind: 'revoke-token', name: 'shop', reason }, 'shop'],
  [{ kind: 'end-exemption', rule: 'known-fork', reason }, 'known-fork'],
  [{ kind: 'exempt', rule }, 'known-fork'],
  [{ kind: 'restored', reason }, undefined],
])('what is decided about: %j', ([decision, subject]) => {
  expect(subjectOf(decision)).toBe(subject);
});
