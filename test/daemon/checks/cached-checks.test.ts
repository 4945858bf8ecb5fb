import { expect, test } from 'vitest';
import { ok } from '../../../src/daemon/checks/diagnosis.ts';
import { cachedChecks } from '../../../src/daemon/checks/cached-checks.ts';

/** Checks that answer how often they were run; `time.ms` is the clock. */
function counted(answers: (count: number) => Promise<string>) {
  const time = { ms: 0 };
  let count = 0;
  const checks = cachedChecks(
    async () => [ok('provider', await answers((count += 1)))],
    () => time.ms,
  );
  return { checks, time };
}

test('thirty seconds share one check, and people who ask at once share it too', async () => {
  const { checks, time } = counted(async (count) => `check ${count}`);
  const [first, second] = await Promise.all([checks(), checks()]);
  expect([first, second]).toEqual([[ok('provider', 'check 1')], [ok('provider', 'check 1')]]);
  time.ms = 29_999;
  expect(await checks()).toEqual([ok('provider', 'check 1')]);
  time.ms = 30_000;
  expect(await checks()).toEqual([ok('provider', 'check 2')]);
  // A clock that was set back does not keep an answer for hours.
  time.ms = -60_000;
  expect(await checks()).toEqual([ok('provider', 'check 3')]);
});

test('a check that fails is a problem on the page, and is made again at the next call', async () => {
  const { checks } = counted(async (count) => {
    if (count === 1) throw new Error('no route to host');
    return 'it answers';
  });
  expect(await checks()).toEqual([
    {
      check: 'other servers',
      status: 'problem',
      detail: 'a check could not be made: Error: no route to host',
    },
  ]);
  expect(await checks()).toEqual([ok('provider', 'it answers')]);
});
