import { expect, test } from 'vitest';
import { audit } from '../store/bookkeeping/audited.ts';
import { showsOtherwise } from './shown-otherwise.ts';
import { forgeRollback } from './forged/forged-rollback.ts';
import { GRACE_MS, Stage } from './stage.ts';

/**
 * A credited deposit, rolled back by a forged webhook a grace period ago. The API shows its row as it
 * was in the mempool, until `isStale` is false.
 */
async function shownInMempool(): Promise<{
  stage: Stage;
  hash: string;
  api: { isStale: boolean };
}> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.pay(depositAddress, 700);
  const updatedAt = new Date(stage.now).toISOString();
  await stage.mine(3);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  await forgeRollback(stage);
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  const api = { isStale: true };
  showsOtherwise(stage, (row) =>
    api.isStale ? { ...row, status: 'mempool', confirmations: 0, updatedAt } : row,
  );
  await stage.run();
  return { stage, hash, api };
}

/** Keys of the open status mismatches. */
function mismatches({ open }: Stage): string[] {
  const found = open
    .breaks()
    .filter(({ type, state }) => type === 'status_mismatch' && state === 'open');
  return found.map(({ key }) => (key.endsWith('"mempool"]') ? 'in the mempool' : 'confirmed'));
}

test('a row of before the credit, in the mempool, reverses no credit', async () => {
  const { stage, hash, api } = await shownInMempool();
  expect(mismatches(stage)).toEqual(['confirmed', 'in the mempool']);
  api.isStale = false;
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(mismatches(stage)).toEqual(['confirmed']);
  api.isStale = true;
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
});

test('a transaction that the API shows in the mempool for the grace period is reversed, also if its row is as old', async () => {
  const { stage, hash } = await shownInMempool();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(await stage.depositState(hash)).toBe('reversed');
  // The forged rollback took it from the books, and not from the chain view.
  expect(stage.open.openBreaks()).toEqual(['conservation', 'reversal_after_credit']);
  expect(audit(stage.open)).toEqual([]);
});
