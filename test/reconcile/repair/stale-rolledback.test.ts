import { expect, test } from 'vitest';
import { audit } from '../../store/bookkeeping/audited.ts';
import { showsOtherwise } from '../shown-otherwise.ts';
import { forgeRollback } from '../forged/forged-rollback.ts';
import { GRACE_MS, Stage } from '../stage.ts';

/**
 * A deposit that was rolled back, mined again and credited, and that a forged webhook rolls back now.
 * The API shows its row as it was before it was mined again, until `isStale` is false.
 */
async function shownRolledBack(): Promise<{
  stage: Stage;
  hash: string;
  api: { isStale: boolean };
}> {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.reorg(3, []);
  const updatedAt = new Date(stage.now).toISOString();
  await stage.caller.advance(60_000);
  await stage.mine(3);
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  await forgeRollback(stage);
  const api = { isStale: true };
  showsOtherwise(stage, (row) =>
    api.isStale ? { ...row, status: 'rolledback', confirmations: 0, updatedAt } : row,
  );
  return { stage, hash, api };
}

test('a rolled-back row of before the credit reverses no credit after a forged rollback', async () => {
  const { stage, hash, api } = await shownRolledBack();
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  api.isStale = false;
  await stage.run();
  expect(stage.open.openBreaks()).toContain('status_mismatch');
  api.isStale = true;
  await stage.caller.advance(GRACE_MS / 2);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
});

test('a rolled-back row that the API shows for the grace period reverses the credit, also if it is as old', async () => {
  const { stage, hash } = await shownRolledBack();
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(await stage.depositState(hash)).toBe('reversed');
  // The forged rollback took it from the books, and not from the chain view.
  expect(stage.open.openBreaks()).toEqual(['conservation', 'reversal_after_credit']);
  expect(audit(stage.open)).toEqual([]);
});

test('a true rollback just after the credit reverses it at once, also if the clock of the API lags', async () => {
  const stage = await Stage.start();
  showsOtherwise(stage, (row) => ({
    ...row,
    updatedAt: new Date(Date.parse(row.updatedAt) - 30_000).toISOString(),
  }));
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run();
  await stage.reorg(3, [hash]);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
});
