import { expect, test } from 'vitest';
import type { Sweep } from '../../src/reconcile/sweep/sweep.ts';
import { ETH, GRACE_MS, Stage, type DepositAddress, type Webhook } from './stage.ts';

/** 700 were paid, and both streams reported 70,000: the sweep and the address check see it. */
async function wrongInBothStreams(): Promise<{ stage: Stage; sweep: Sweep; hash: string }> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(GRACE_MS + 60_000);
  const wrong = (webhook: Webhook | undefined, entry: object): object => ({
    ...webhook,
    balanceChanges: [{ asset: ETH, amount: '70000', tags: [], ...entry }],
  });
  const find = (stream: string, type: string): Webhook | undefined =>
    stage.lost.find((one) => one.stream === stream && one.type === type);
  await stage.deliver(wrong(find('incoming', 'confirmation'), {}));
  await stage.deliver(wrong(find('blockchain', 'transaction'), at(depositAddress)));
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  return { stage, sweep, hash };
}

function at({ accountId, addressId, networkAddress }: DepositAddress): object {
  return { account: { id: accountId }, address: { id: addressId, networkAddress } };
}

test('a wrong amount in both streams is one break, although the address shows it too', async () => {
  const { stage, sweep } = await wrongInBothStreams();
  const run = await stage.run(sweep);
  expect(run.addresses?.checked).toBe(1);
  expect(stage.open.openBreaks()).toEqual(['amount_mismatch']);
  expect(stage.open.openBreak('amount_mismatch')).toMatchObject({
    deposit_id: stage.open.depositId(),
    expected: '700',
    actual: '70000',
  });
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['amount_mismatch']);
});

test('it ends with the deposit, and nothing is left of it at the address', async () => {
  const { stage, sweep, hash } = await wrongInBothStreams();
  await stage.run(sweep);
  stage.loses = () => false;
  await stage.reorg(6, [hash]);
  await stage.caller.advance(GRACE_MS + 60_000);
  // This run asks no address.
  await stage.run();
  expect(await stage.depositState(hash)).toBe('rolled_back');
  expect(stage.open.openBreaks()).toEqual([]);
});
