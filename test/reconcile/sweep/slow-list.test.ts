import { expect, test, vi } from 'vitest';
import { Stage } from '../stage.ts';

/** Rows of one page at most, as a service may have it. */
const PAGE_SIZE_MAX = 10;

/** How long each page takes: a run's time is over before the list is. */
const PAGE_MS = 9_000;

/** The API as one that takes its time for small pages. */
function slowed(stage: Stage): void {
  const ask = stage.client.transactions.bind(stage.client);
  vi.spyOn(stage.client, 'transactions').mockImplementation(async (query, options) => {
    await stage.caller.advance(PAGE_MS);
    const pageSize = Math.min(query.pageSize, PAGE_SIZE_MAX);
    return ask({ ...query, pageSize }, options);
  });
}

test('a list that the time of a run does not suffice for is read over several, to its end', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hashes: string[] = [];
  for (let paid = 0; paid < 40; paid += 1) hashes.push(await stage.pay(depositAddress, 700 + paid));
  await stage.mine(3);
  slowed(stage);
  const first = await stage.run();
  expect(first.incomplete).toMatch(/long/);
  expect(first.skipped).toEqual({ api_unavailable: 40 });
  for (let run = 0; run < 6; run += 1) await stage.run();
  for (const hash of hashes) expect(await stage.depositState(hash)).toBe('credited');
  expect(await stage.reads.custodyWatermark()).not.toBeNull();
});
