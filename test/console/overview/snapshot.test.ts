import { expect, test } from 'vitest';
import { Snapshots } from '../../../src/console/overview/snapshot.ts';
import { apiUnderTest } from '../../api/api-under-test.ts';

/** Snapshots of a store whose counts take so long, or fail. */
async function countedSnapshots({ lookMs }: { lookMs: number }) {
  const { reads } = await apiUnderTest();
  const clock = { now: 10_000, looks: 0, fails: false };
  const snapshots = new Snapshots({
    reads: {
      counts: () => {
        clock.looks += 1;
        clock.now += lookMs;
        return clock.fails ? Promise.reject(new Error('the disk')) : reads.counts();
      },
      deposits: reads.deposits.bind(reads),
      oldestHeld: reads.oldestHeld.bind(reads),
      breaks: reads.breaks.bind(reads),
      reconciliations: reads.reconciliations.bind(reads),
      pinnedDecimals: reads.pinnedDecimals.bind(reads),
      closes: reads.closes.bind(reads),
      unsignedCloses: reads.unsignedCloses.bind(reads),
      lastClose: reads.lastClose.bind(reads),
      firstRecordedAt: reads.firstRecordedAt.bind(reads),
      closedDay: reads.closedDay.bind(reads),
      policy: reads.policy.bind(reads),
      newestRecordedAt: reads.newestRecordedAt.bind(reads),
    },
    now: () => clock.now,
    timezone: 'UTC',
    overdueFrom: () => undefined,
    nextDueAt: () => 0,
  });
  const view = async (afterMs: number): Promise<number> => {
    clock.now += afterMs;
    await snapshots.latest();
    return clock.looks;
  };
  return { view, clock };
}

test('all viewers share one look at the store for a second', async () => {
  const { view } = await countedSnapshots({ lookMs: 0 });
  expect(await Promise.all([view(0), view(0), view(0)])).toEqual([1, 1, 1]);
  expect(await view(999)).toBe(1);
  expect(await view(1)).toBe(2);
});

test('a look that took long is shared for nine times as long', async () => {
  const { view } = await countedSnapshots({ lookMs: 500 });
  expect(await view(0)).toBe(1);
  expect(await view(4_499)).toBe(1);
  expect(await view(1)).toBe(2);
});

test('after the clock was set back a look is not shown until it gets there again', async () => {
  const { view } = await countedSnapshots({ lookMs: 0 });
  expect(await view(0)).toBe(1);
  expect(await view(-5_000)).toBe(2);
  expect(await view(999)).toBe(2);
});

test('a look that failed is not shown again', async () => {
  const { view, clock } = await countedSnapshots({ lookMs: 0 });
  clock.fails = true;
  await expect(view(0)).rejects.toThrow('the disk');
  clock.fails = false;
  expect(await view(0)).toBe(2);
});
