import { expect, test } from 'vitest';
import { createConsole } from '../../src/console/application.ts';
import { documentsFrom } from '../../src/report/document.ts';
import { openConsole } from './console-under-test.ts';

/** A console over a store that counts how often it is looked at. */
async function countedConsole(options: { lookMs: number }) {
  const { reads } = await openConsole();
  const clock = { now: 10_000, looks: 0 };
  const app = createConsole({
    document: documentsFrom(reads),
    reads: {
      counts: () => {
        clock.looks += 1;
        clock.now += options.lookMs;
        return reads.counts();
      },
      deposits: reads.deposits.bind(reads),
      breaks: reads.breaks.bind(reads),
      reconciliations: reads.reconciliations.bind(reads),
      pinnedDecimals: reads.pinnedDecimals.bind(reads),
      closes: reads.closes.bind(reads),
    },
    now: () => clock.now,
    access: { kind: 'public' },
    secure: false,
    idleMsMax: 1_800_000,
  });
  const view = async (afterMs: number): Promise<number> => {
    clock.now += afterMs;
    expect((await app.request('/console/fragment')).status).toBe(200);
    return clock.looks;
  };
  return { view };
}

test('all viewers share one look at the store for a second', async () => {
  const { view } = await countedConsole({ lookMs: 0 });
  expect(await Promise.all([view(0), view(0), view(0)])).toEqual([1, 1, 1]);
  expect(await view(999)).toBe(1);
  expect(await view(1)).toBe(2);
});

test('a look that took long is shared for nine times as long', async () => {
  const { view } = await countedConsole({ lookMs: 500 });
  expect(await view(0)).toBe(1);
  expect(await view(4_499)).toBe(1);
  expect(await view(1)).toBe(2);
});

test('after the clock was set back a look is not shown until it gets there again', async () => {
  const { view } = await countedConsole({ lookMs: 0 });
  expect(await view(0)).toBe(1);
  expect(await view(-5_000)).toBe(2);
  expect(await view(999)).toBe(2);
});

test('a look that failed is not shown again', async () => {
  let fails = true;
  const { reads } = await openConsole();
  const app = createConsole({
    document: documentsFrom(reads),
    reads: {
      counts: async () => {
        if (fails) throw new Error('the disk');
        return reads.counts();
      },
      deposits: reads.deposits.bind(reads),
      breaks: reads.breaks.bind(reads),
      reconciliations: reads.reconciliations.bind(reads),
      pinnedDecimals: reads.pinnedDecimals.bind(reads),
      closes: reads.closes.bind(reads),
    },
    now: () => 0,
    access: { kind: 'public' },
    secure: false,
    idleMsMax: 1_800_000,
  });
  app.onError((error, context) => context.text(error.message, 500));
  expect((await app.request('/console')).status).toBe(500);
  fails = false;
  expect((await app.request('/console')).status).toBe(200);
});
