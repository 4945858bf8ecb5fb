import { expect, test } from 'vitest';
import { Tally } from '../../../src/reconcile/comparing/tally.ts';
import { NotificationRepair } from '../../../src/reconcile/repair/notification-repair.ts';
import { RetryPulls } from '../../../src/reconcile/watching/retry-pull.ts';
import { transactionOf } from '../../../src/translation/transaction.ts';
import { Stage } from '../stage.ts';

/** Replays what is missing of a stage's only transaction; the number of notifications replayed. */
async function replayed(stage: Stage): Promise<number> {
  const repair = new NotificationRepair({
    webhookUrl: await stage.webhookUrl(),
    pulls: new RetryPulls(),
    isKnown: (id) => Promise.resolve(!stage.lost.some((webhook) => webhook.id === id)),
  });
  const limits = { priority: 'sweep', deadlineMs: Infinity } as const;
  const page = await stage.client.transactions({ page: 0, pageSize: 10 }, limits);
  if (page.kind !== 'ok') throw new Error(`the list was not read: ${page.kind}`);
  const missed = page.value.rows.map((row) => ({
    kind: 'backfill' as const,
    transaction: transactionOf(row),
  }));
  expect(missed).toHaveLength(1);
  stage.loses = () => false;
  const context = { custody: stage.client, now: stage.now, deadlineMs: Infinity };
  return (await repair.run(missed, { ...context, tally: new Tally() })).replayed;
}

test('a rollback that never came is not replayed once a later confirmation is known', async () => {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  stage.loses = ({ type }) => type === 'rollback';
  await stage.reorg(5, []);
  await stage.mine(3);
  expect(stage.lost.map(({ type }) => type)).toContain('rollback');
  expect(await replayed(stage)).toBe(0);
  expect(await stage.depositState(hash)).toBe('verifying');
});

test('a rollback that never came is replayed when nothing later is known', async () => {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  stage.loses = ({ type }) => type === 'rollback';
  await stage.reorg(5, [hash]);
  expect(await replayed(stage)).toBeGreaterThan(0);
  expect(await stage.depositState(hash)).toBe('rolled_back');
});
