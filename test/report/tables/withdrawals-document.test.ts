import { expect, test } from 'vitest';
import { tablesFrom } from '../../../src/report/tables/table-documents.ts';
import type { WithdrawalQuery } from '../../../src/store/queries.ts';
import type { Reads } from '../../../src/store/reads.ts';
import { workbookOf } from '../reading-back.ts';

const NONE: Pick<Reads, 'balances' | 'statement' | 'pinnedDecimals'> = {
  balances: () => Promise.reject(new Error('not asked')),
  statement: () => Promise.reject(new Error('not asked')),
  pinnedDecimals: () => Promise.resolve(new Map()),
};

/** The documents of a store with so many withdrawals, none of which moved ETH. */
function documentsOf(total: number) {
  return tablesFrom({
    ...NONE,
    withdrawals: (query, page) => {
      const isEvery = Object.keys(query).length === 0;
      return Promise.resolve({ ...page, items: [], total: isEvery ? total : 0 });
    },
  });
}

async function fileNameOf(total: number, query: WithdrawalQuery): Promise<string> {
  const answer = await documentsOf(total)({ kind: 'withdrawals', query }, 'csv');
  return answer.kind === 'document' ? answer.document.fileName : answer.kind;
}

const ETH = { asset: 'ethereum:ETH' };

test.for([
  ['an asset, among every withdrawal', 10_000, ETH, 'withdrawals.csv'],
  ['an asset, among the newest', 10_001, ETH, 'withdrawals-among-newest-10000.csv'],
  ['an amount', 10_001, { amounts: [] }, 'withdrawals-among-newest-10000.csv'],
  ['a status, which is looked for everywhere', 10_001, { status: 'mined' }, 'withdrawals.csv'],
] as const)('the name of a file by %s', async ([, total, query, expected]) => {
  expect(await fileNameOf(total, query)).toBe(expected);
});

test('a workbook says among how many withdrawals an asset was looked for', async () => {
  const answer = await documentsOf(12_345)({ kind: 'withdrawals', query: ETH }, 'xlsx');
  if (answer.kind !== 'document') throw new Error(answer.kind);
  const { body } = answer.document;
  expect(workbookOf(typeof body === 'string' ? new Uint8Array() : body)['About']).toContainEqual([
    'searched',
    'the newest 10000 of 12345 withdrawals',
  ]);
});
