import { expect, test } from 'vitest';
import { garblesOwnRows } from './shown-otherwise.ts';
import { GRACE_MS, Stage, type DepositAddress, type Webhook } from './stage.ts';

const FUNDS = '900000000000000000';

/** Two vaults, the first of which can pay; its funding is credited already. */
async function twoVaults(): Promise<{ stage: Stage; from: DepositAddress; to: DepositAddress }> {
  const stage = await Stage.start();
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, FUNDS, 3);
  await stage.run();
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  return { stage, from, to };
}

const outgoing = ({ stream }: Webhook): boolean => stream === 'outgoing';

/** Other rows move the watermark so far that what was read until now is not read again. */
async function beyondOverlap(stage: Stage, elsewhere: DepositAddress): Promise<void> {
  for (let round = 1; round <= 4; round += 1) {
    await stage.caller.advance(400_000);
    await stage.paid(elsewhere, 5, 1);
    await stage.run();
  }
}

async function hashOf(stage: Stage, transactionId: string): Promise<string> {
  const row = await stage.api('GET', `/transactions/${transactionId}`);
  return String(row['blockchainHash']);
}

test('a transfer whose outgoing notifications are all lost is internal, by the API alone', async () => {
  const { stage, from, to } = await twoVaults();
  stage.loses = outgoing;
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.run();
  expect(await stage.depositState(await hashOf(stage, id))).toBe('internal');
  await stage.run();
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('the same when this version cannot read the outgoing row', async () => {
  const { stage, from, to } = await twoVaults();
  garblesOwnRows(stage);
  stage.loses = outgoing;
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  expect((await stage.run()).skipped['unreadable_row']).toBe(1);
  expect(await stage.depositState(await hashOf(stage, id))).toBe('internal');
  await stage.run();
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
});

test('the same when the sweep saw the transaction long before the deposit arrived', async () => {
  const { stage, from, to } = await twoVaults();
  stage.loses = () => true;
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.run();
  await beyondOverlap(stage, from);
  for (const webhook of stage.lost.filter((one) => one.stream === 'incoming'))
    await stage.deliver(webhook);
  await stage.run();
  expect(await stage.depositState(await hashOf(stage, id))).toBe('internal');
});

test('the same when the transaction had no hash yet as the sweep first saw it', async () => {
  const stage = await Stage.start();
  const from = await stage.depositAddress();
  const to = await stage.depositAddress();
  const approver = await stage.caller.client(['Vault:read', 'manageVaults']);
  const gated = await stage.caller.vault({ quorum: 1, approvers: [approver.clientId] });
  const accountId = await stage.caller.account(gated);
  const source: DepositAddress = { ...from, vaultId: gated, accountId };
  const address = await stage.caller.address(accountId, 'ethereum');
  await stage.paid({ ...source, ...address }, FUNDS, 3);
  stage.loses = () => true;
  const id = await stage.order({ ...source, ...address }, to.networkAddress, '1000');
  await stage.run();
  const decision = { decision: 'approve' };
  const path = `/transactions/${id}/approvals`;
  await stage.caller.api('POST', path, decision, { token: approver.token });
  await stage.deliverDue();
  await stage.mine(3);
  const hash = await hashOf(stage, id);
  await stage.run();
  await beyondOverlap(stage, from);
  const arrived = stage.lost.filter((one) => one.blockchainHash === hash);
  for (const webhook of arrived.filter((one) => one.stream === 'incoming'))
    await stage.deliver(webhook);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('internal');
  expect(stage.open.feedLines().filter((line) => line === 'credit 1000')).toEqual([]);
});

test('facts of own transactions that were not taken keep the deposits after them back', async () => {
  const { stage, from, to } = await twoVaults();
  stage.loses = outgoing;
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  let refused = 0;
  const sweep = stage.newSweep({
    submit: async (facts) => {
      const outcomes = [];
      for (const fact of facts) {
        const isOutgoing = fact.kind === 'custody-record' && fact.record.kind === 'outgoing';
        if (isOutgoing) refused += 1;
        if (isOutgoing) outcomes.push({ kind: 'busy' } as const);
        else outcomes.push(...(await stage.open.commit([fact])));
      }
      return outcomes;
    },
  });
  await sweep.run();
  expect(refused).toBe(1);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  await stage.run();
  expect(await stage.depositState(await hashOf(stage, id))).toBe('internal');
});

test('a later run takes evidence that was not taken, at any time', async () => {
  const { stage, from, to } = await twoVaults();
  stage.loses = outgoing;
  await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.caller.advance(700_000);
  await stage.paid(from, 5, 1);
  const run = { submitted: 0 };
  const sweep = stage.newSweep({
    submit: async (facts) => {
      const outcomes = [];
      for (const fact of facts) {
        const isRun = fact.kind === 'custody-record' && fact.record.kind === 'run';
        run.submitted += 1;
        if (isRun) outcomes.push(...(await stage.open.commit([fact])));
        else outcomes.push({ kind: 'unavailable', effect: 'none', cause: 'disk full' } as const);
      }
      return outcomes;
    },
  });
  await sweep.run();
  expect(run.submitted).toBeGreaterThan(1);
  await stage.run();
  await stage.run();
  expect(stage.open.openBreaks()).toContain('missing_notification');
});

test('a transfer older than the list’s reading, found at its receiving address alone, is internal', async () => {
  const { stage, from, to } = await twoVaults();
  stage.loses = () => true;
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.caller.advance(7_200_000);
  await stage.open.record({
    kind: 'run',
    startedAt: stage.now,
    graceMs: GRACE_MS,
    custody: { matched: 0, broken: 0, exempt: {}, skipped: {} },
    requests: 0,
    watermark: stage.now,
    incomplete: null,
    isBounded: true,
  });
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: [to.vaultId] } });
  for (let run = 0; run < 4; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(GRACE_MS + 60_000);
  }
  expect(await stage.depositState(await hashOf(stage, id))).toBe('internal');
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
});
