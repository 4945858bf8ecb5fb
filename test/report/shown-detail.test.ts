import { expect, test } from 'vitest';
import type { ReportDifference } from '../../src/domain/close/report.ts';
import { shownDetail } from '../../src/report/shown-detail.ts';
import { rendered } from './report-under-test.ts';

const SEALED = 'booked so shortly before the cut-off that the other side may still follow';
const EITHER =
  'one side moved so shortly before the cut-off that the other may still follow. Look again after the grace period.';
const CRITICAL = `${EITHER} If the books do not follow, a critical break opens.`;

function difference(more: Partial<ReportDifference>): ReportDifference {
  return {
    against: 'chain',
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: '0xa1',
    asset: 'ethereum:ETH',
    expected: '5',
    actual: '0',
    difference: '-5',
    explanation: 'in_grace',
    breakId: null,
    detail: SEALED,
    ...more,
  };
}

test.for([
  ['only the chain moved, a credit', {}, EITHER],
  ['only the chain moved, a debit', { expected: '-5', difference: '5' }, CRITICAL],
  ['only the books moved', { expected: '0', actual: '-5' }, EITHER],
  ['custody says a debit', { against: 'custody', expected: '-5' }, EITHER],
  ['custody says when', { detail: 'the custody API moved it' }, 'the custody API moved it'],
  ['another explanation', { explanation: 'timing' }, SEALED],
] as const)('%s: the explanation names no wrong side', ([, more, text]) => {
  expect(shownDetail(difference(more))).toBe(text);
});

test('the page reads so, and the files keep the sealed text', async () => {
  const differences = [difference({})];
  expect(await rendered('html', { differences })).toContain(`in grace: ${EITHER}`);
  for (const format of ['json', 'csv'] as const) {
    expect(await rendered(format, { differences })).toContain(SEALED);
  }
});

test.for([
  ['break', 'unexplained_movement: the chain moved 5', 'unexplained movement: the chain moved 5'],
  [
    'exempt',
    'amount_mismatch, exempt by the rule "a_b" of ann: x_y',
    'amount mismatch, exempt by the rule "a_b" of ann: x_y',
  ],
  ['resolved_break', 'conservation, resolved by ann: seen', 'conservation, resolved by ann: seen'],
  ['timing', 'custody_x moved later', 'custody_x moved later'],
] as const)('the type of a break is in words: %s, %s', ([explanation, detail, shown]) => {
  expect(shownDetail(difference({ explanation, detail }))).toBe(shown);
});
