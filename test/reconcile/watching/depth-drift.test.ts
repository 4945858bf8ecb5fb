import { expect, test } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { PublishedNetworks } from '../../../src/reconcile/watching/published-networks.ts';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { Stage } from '../stage.ts';

function deep(confirmations: number): CreditingPolicy {
  return { default: { confirmations: 1 }, networks: { ethereum: { confirmations } }, assets: {} };
}

/** A sweep as the daemon makes it, that looks at subscriptions and published depths too. */
async function watching(stage: Stage): Promise<Sweep> {
  const webhookUrl = await stage.webhookUrl();
  const networks = new PublishedNetworks({ custody: stage.client, now: () => stage.now });
  return stage.newSweep({ networks, subscription: { webhookUrl, vaults: 'all' } });
}

function driftDetails(stage: Stage): string[] {
  return stage.open
    .breaks()
    .filter(({ type, state }) => type === 'subscription_drift' && state !== 'resolved')
    .map(({ detail }) => detail);
}

test('a depth beyond what the network publishes is a break, and its deposits are credited still', async () => {
  const stage = await Stage.start({ policy: deep(15) });
  const sweep = await watching(stage);
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 14);
  await stage.run(sweep);
  expect(driftDetails(stage)).toEqual([
    expect.stringMatching(/a depth of 15 for ethereum, and the network publishes none beyond 12/),
  ]);
  expect(stage.open.openBreak('subscription_drift')).toMatchObject({
    network: 'ethereum',
    vault_id: null,
    severity: 'warning',
  });
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.mine(1);
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const head = stage.open.journalLength();
  await stage.run(sweep);
  expect(stage.factsSince(head)).toEqual(['custody-record']);
});

test('the break goes when the policy asks for a depth that is published, at the next run', async () => {
  const stage = await Stage.start({ policy: deep(15) });
  const sweep = await watching(stage);
  await stage.depositAddress();
  await stage.run(sweep);
  expect(driftDetails(stage)).toHaveLength(1);
  await stage.open.setPolicy(deep(12));
  await stage.run(sweep);
  expect(driftDetails(stage)).toEqual([]);
});

test('an override that holds back the policy’s depth is a break of its vault, until either changes', async () => {
  const stage = await Stage.start({ policy: deep(12) });
  const sweep = await watching(stage);
  const { vaultId } = await stage.depositAddress();
  const confirmations = `/subscriptions/${vaultId}/confirmations`;
  await stage.api('PUT', confirmations, { confirmations: { ethereum: 3 } });
  await stage.run(sweep);
  expect(stage.open.openBreak('subscription_drift').vault_id).toBe(vaultId);
  expect(driftDetails(stage)).toEqual([
    expect.stringContaining(
      'ethereum is delivered only to depth 3, and the policy wants 12 for ethereum (set it with --confirmations): mend it with `counterfoil subscribe`',
    ),
  ]);
  // The policy is looked at in every run, the subscription once an hour.
  await stage.open.setPolicy(deep(3));
  await stage.run(sweep);
  expect(driftDetails(stage)).toEqual([]);
  await stage.open.setPolicy(deep(12));
  await stage.run(sweep);
  expect(driftDetails(stage)).toHaveLength(1);
  await stage.api('PUT', confirmations, { confirmations: {} });
  await stage.caller.advance(3_600_000);
  await stage.run(sweep);
  expect(driftDetails(stage)).toEqual([]);
});

test('a network that nobody uses and the policy does not name is nobody’s concern', async () => {
  const stage = await Stage.start({ policy: { ...deep(12), default: { confirmations: 50 } } });
  await stage.run(await watching(stage));
  expect(driftDetails(stage)).toEqual([]);
});

test('a vault that the API does not show keeps no other from being looked at', async () => {
  const stage = await Stage.start({ policy: deep(12) });
  const { vaultId } = await stage.depositAddress();
  await stage.api('PUT', `/subscriptions/${vaultId}/confirmations`, {
    confirmations: { ethereum: 3 },
  });
  const webhookUrl = await stage.webhookUrl();
  const vaults = ['gone-1', 'gone-2', vaultId];
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults } });
  for (let run = 0; run < 3; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(60_000);
  }
  expect(driftDetails(stage)).toEqual([expect.stringContaining('delivered only to depth 3')]);
});
