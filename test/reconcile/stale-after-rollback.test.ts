import { expect, test } from 'vitest';
import { forgeRollback, rollbackOf } from './forged/forged-rollback.ts';
import { GRACE_MS, Stage } from './stage.ts';

/** A deposit of 700 units, mined again one deep after it was three deep and unverified. */
async function minedAnew(stage: Stage, rollbacks = 1): Promise<string> {
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  for (let earlier = 1; earlier < rollbacks; earlier += 1) {
    await stage.reorg(3, []);
    await stage.mine(3);
  }
  expect(await stage.depositState(hash)).toBe('verifying');
  await stage.api('GET', '/transactions?page=0&pageSize=100');
  await stage.caller.advance(60_000);
  await stage.reorg(3, []);
  await stage.mine(1);
  expect(await stage.depositState(hash)).toBe('confirming');
  return hash;
}

/** The outcome while the API shows the older row, then the true one, then the true one deep again. */
async function outcomeOf(stage: Stage, hash: string) {
  const { skipped } = await stage.run();
  await stage.faults();
  await stage.run();
  const shownTrue = await stage.depositState(hash);
  await stage.mine(2);
  await stage.run();
  return { skipped, shownTrue, deep: stage.open.feedLines(), breaks: stage.open.openBreaks() };
}

const CREDITED_WHEN_DEEP = {
  skipped: { custody_behind: 1 },
  shownTrue: 'confirming',
  deep: ['credit 700'],
  breaks: [],
};

test.each([
  1,
  // An unsteady chain.
  10,
])(
  'after rollback %i the API shows the row of before it: its depth credits nothing',
  async (rollbacks) => {
    const stage = await Stage.start();
    const hash = await minedAnew(stage, rollbacks);
    await stage.faults({ fault: 'stale' });
    expect(await outcomeOf(stage, hash)).toEqual(CREDITED_WHEN_DEEP);
  },
);

test('mined again without webhooks, a deposit is credited by the API when the grace period of the rollback has ended', async () => {
  const stage = await Stage.start();
  const hash = await minedAnew(stage);
  stage.loses = ({ stream }) => stream === 'incoming';
  await stage.mine(2);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('the API is first read long after a rollback and shows the row of before it: its depth credits nothing', async () => {
  const stage = await Stage.start();
  const hash = await minedAnew(stage);
  await stage.faults({ fault: 'stale' });
  await stage.caller.advance(3 * GRACE_MS);
  expect(await outcomeOf(stage, hash)).toEqual(CREDITED_WHEN_DEEP);
});

/** A deposit that a forged rollback takes back a grace period ago; `more` follows it, twice. */
async function forgedAgain(more: (rollback: object, number: number) => object): Promise<Stage> {
  const stage = await Stage.start();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  await stage.paid(await stage.depositAddress(), 700, 3);
  const rollback = rollbackOf(stage);
  await forgeRollback(stage);
  await stage.run(sweep);
  for (const number of [1, 2]) {
    await stage.caller.advance(GRACE_MS / 2 - 1_000);
    await stage.deliver({ ...more(rollback, number), id: `forged-${number}` });
  }
  await stage.caller.advance(2_000);
  // Webhooks are sent again, then the API's row is booked, then it verifies the deposit.
  for (let run = 0; run < 4; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(60_000);
  }
  return stage;
}

test.each<[string, (rollback: object, number: number) => object]>([
  ['repeated', (rollback) => rollback],
  ['sent for another address', (rollback, number) => ({ ...rollback, addressId: `adr-${number}` })],
])(
  'a forged rollback that is %s keeps a deposit from its credit no longer than the first one',
  async (_, more) => {
    const stage = await forgedAgain(more);
    expect(stage.open.feedLines()).toEqual(['credit 700']);
  },
);
