import { expect, test } from 'vitest';
import { noDifferences } from '../../src/report/no-differences.ts';
import { REPORT, rendered } from './report-under-test.ts';

const NOT_READ = { compared: false, reason: 'the custody API did not answer' } as const;
const [FIRST, SECOND] = REPORT.totals;

/** The report without differences; `chain`: the difference of each row, null without a chain view. */
function report(compared: { custody: boolean; chain: readonly (string | null)[] }) {
  const rows = [FIRST, SECOND].flatMap((total) => (total === undefined ? [] : [total]));
  return {
    ...REPORT,
    differences: [],
    custody: compared.custody ? REPORT.custody : NOT_READ,
    totals: rows.map((total, index) => ({
      ...total,
      chainDifference: compared.chain[index] ?? null,
    })),
  };
}

test.for([
  [
    { custody: true, chain: ['0', '0'] },
    true,
    'The books agree with custody and with the chain view.',
  ],
  [
    { custody: true, chain: ['0', null] },
    true,
    'The books agree with custody and with the chain view (1 of 2 vaults has no chain view).',
  ],
  [
    { custody: true, chain: [null, null] },
    true,
    'The books agree with custody. No vault has a chain view.',
  ],
  [
    { custody: false, chain: ['0', '0'] },
    true,
    'The books agree with the chain view. Custody was not compared.',
  ],
  [
    { custody: false, chain: [null, null] },
    false,
    'Nothing was compared with the books: custody was not read, and no vault has a chain view.',
  ],
] as const)('a day without differences, %o', async ([compared, isCompared, text]) => {
  const day = report(compared);
  expect(noDifferences(day)).toEqual({ text, isCompared });
  expect(await rendered('html', day)).toContain(text);
});

test('a vault without a chain view counts once, whatever assets it has', () => {
  const { custody, totals } = report({ custody: true, chain: [null, '0'] });
  const twice = { custody, totals: [...totals, ...totals] };
  expect(noDifferences(twice).text).toContain('(1 of 2 vaults has no chain view)');
});
