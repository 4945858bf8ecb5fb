import { expect, test } from 'vitest';
import { DepthHistory } from './depth-history.ts';

const HASH = '0xa1';

function feedOf(credits: readonly string[]) {
  const items = credits.map((creditId, index) => ({
    feedSeq: index + 1,
    item: { creditId, deposit: { blockchainHash: HASH } },
  }));
  return { credits: (after: number) => Promise.resolve(items.slice(after)) };
}

test('a credit has the depth of each stay in a block until it was appended, and no later one', async () => {
  const depths = new DepthHistory();
  const watch = (status: string, confirmations: number): void =>
    depths.watch([{ blockchainHash: HASH, status, confirmations }]);
  watch('mempool', 0);
  watch('confirmed', 1);
  watch('confirmed', 5);
  await depths.look(feedOf(['crd_1']));
  watch('mempool', 0);
  watch('confirmed', 2);
  await depths.look(feedOf(['crd_1', 'crd_2']));
  watch('confirmed', 9);
  expect(Object.fromEntries(depths.atCredit)).toEqual({ crd_1: [5], crd_2: [5, 2] });
});
