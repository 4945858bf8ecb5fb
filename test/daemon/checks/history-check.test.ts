import { expect, test } from 'vitest';
import { checkHistory } from '../../../src/daemon/checks/history-check.ts';
import { Stage, THREE_DEEP } from '../../reconcile/stage.ts';

test('before a first start the doctor says that deposits of the past will be credited', async () => {
  const stage = await Stage.start();
  const about = (startsAt?: string) => ({
    crediting: { ...THREE_DEEP, ...(startsAt === undefined ? {} : { startsAt }) },
    now: stage.now,
  });
  expect(await checkHistory(stage.client, about())).toEqual([]);
  await stage.paid(await stage.depositAddress(), 700, 1);
  await stage.caller.advance(86_400_000);
  await stage.paid(await stage.depositAddress(), 701, 1);
  const [found] = await checkHistory(stage.client, about());
  expect(found).toMatchObject({ check: 'history', status: 'warning' });
  expect(found?.detail).toContain('has deposits since 2026-01-01T');
  expect(found?.detail).toContain('set crediting.startsAt');
  expect(await checkHistory(stage.client, about('2026-01-02T00:00:00Z'))).toMatchObject([
    { status: 'ok' },
  ]);
  await stage.faults({ fault: 'error', errorCode: 'GE-1' });
  expect(await checkHistory(stage.client, about())).toEqual([]);
});
