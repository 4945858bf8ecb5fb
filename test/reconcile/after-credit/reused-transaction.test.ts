import { expect, test } from 'vitest';
import { audit } from '../../store/bookkeeping/audited.ts';
import { showsOtherwise } from '../shown-otherwise.ts';
import { GRACE_MS, Stage, type Webhook } from '../stage.ts';
import { startVerifying } from '../verifying/verifying-stage.ts';

const NEW_HASH = `0x${'b2'.repeat(32)}`;

/**
 * A credited deposit of 700 units whose transaction the API shows under another hash, as do its
 * webhooks, until `isMoved` is false. `isGone`: a webhook rolled back the first hash before.
 */
async function moved({ isGone = false } = {}) {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const webhooks = [...stage.heard.values()].filter(({ stream }: Webhook) => stream === 'incoming');
  if (isGone) {
    await stage.deliver({ ...webhooks[0], id: 'gone', type: 'rollback', confirmations: undefined });
  }
  const updatedAt = new Date(stage.now).toISOString();
  const api = { isMoved: true };
  showsOtherwise(stage, (row) =>
    api.isMoved ? { ...row, blockchainHash: NEW_HASH, updatedAt } : row,
  );
  for (const webhook of webhooks) {
    await stage.deliver({ ...webhook, id: `${webhook.id}-new`, blockchainHash: NEW_HASH });
  }
  await runs(stage);
  const [first] = await stage.deposits(hash);
  return { stage, hash, api, depositId: first?.depositId };
}

async function runs(stage: Stage, sweep = stage.sweep): Promise<void> {
  for (let run = 0; run < 3; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(GRACE_MS);
  }
}

test('a transaction that was credited is not credited again under another hash, and a break names the credit', async () => {
  const { stage, hash, api, depositId } = await moved();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(await stage.depositState(NEW_HASH)).toBe('verifying');
  expect(stage.open.openBreak('unknown_to_custody')).toMatchObject({
    severity: 'critical',
    deposit_id: depositId,
  });
  api.isMoved = false;
  await runs(stage);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(stage.open.openBreak('unknown_to_custody').blockchain_hash).toBe(NEW_HASH);
});

test('when the first hash was rolled back and a person resolves its break, the credit is reversed, and the new hash credited', async () => {
  const { stage, hash } = await moved({ isGone: true });
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const { id: breakId } = stage.open.openBreak('unknown_to_custody');
  await stage.open.decide({ kind: 'resolve', breakId, reason: 'sent again', takesBack: true });
  expect(await stage.depositState(hash)).toBe('reversed');
  await runs(stage);
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  expect(await stage.depositState(NEW_HASH)).toBe('credited');
  expect(audit(stage.open)).toEqual([]);
});

test.for([
  ['under both hashes', true],
  ['under its new hash alone', false],
] as const)(
  'one that webhooks and API roll back %s: its credit is reversed',
  async ([, isGone]) => {
    const { stage, hash } = await moved({ isGone });
    const subscription = { webhookUrl: await stage.webhookUrl(), vaults: 'all' as const };
    const updatedAt = new Date(stage.now).toISOString();
    showsOtherwise(stage, (row) => ({ ...row, status: 'rolledback', updatedAt }));
    await runs(stage, stage.newSweep({ subscription }));
    expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
    expect(await stage.depositState(hash)).toBe('reversed');
    expect(audit(stage.open)).toEqual([]);
  },
);

test('a transaction that was credited is not credited again when a later webhook and the API show it in another account', async () => {
  const stage = await Stage.start();
  const address = await stage.depositAddress();
  const hash = await stage.paid(address, 700, 3);
  await stage.run();
  const elsewhere = <Shown>(shown: Shown): Shown =>
    JSON.parse(JSON.stringify(shown).replaceAll(address.accountId, 'another-account')) as Shown;
  showsOtherwise(stage, elsewhere);
  stage.loses = ({ stream }) => stream === 'incoming';
  await stage.mine(12);
  for (const webhook of stage.lost.splice(0)) await stage.deliver(elsewhere(webhook));
  await runs(stage);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('verifying, credited');
  const credited = (await stage.deposits(hash)).find(({ credit }) => credit !== null);
  expect(stage.open.openBreak('unknown_to_custody').deposit_id).toBe(credited?.depositId);
  expect(audit(stage.open)).toEqual([]);
});

test('a transaction that was verified under one hash while a person held it is credited under its new hash only', async () => {
  const { stage, sweep, rounds } = await startVerifying();
  const hash = await stage.paid(await stage.depositAddress(), 700, 1);
  await held(stage, hash);
  await stage.mine(2);
  await stage.run(sweep);
  const [first] = await stage.deposits(hash);
  expect(first?.verifiedAt).not.toBeNull();
  const webhooks = [...stage.heard.values()].filter(({ stream }: Webhook) => stream === 'incoming');
  const updatedAt = new Date(stage.now).toISOString();
  showsOtherwise(stage, (row) => ({ ...row, blockchainHash: NEW_HASH, updatedAt }));
  for (const webhook of webhooks) {
    await stage.deliver({ ...webhook, id: `${webhook.id}-new`, blockchainHash: NEW_HASH });
  }
  await held(stage, NEW_HASH);
  await rounds(30_000);
  await released(stage, hash);
  await released(stage, NEW_HASH);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('verifying');
  expect(await stage.depositState(NEW_HASH)).toBe('credited');
  expect(audit(stage.open)).toEqual([]);
});

async function held(stage: Stage, blockchainHash: string): Promise<void> {
  for (const { depositId } of await stage.deposits(blockchainHash)) {
    await stage.open.decide({ kind: 'hold', depositId, reason: 'checking' });
  }
}

async function released(stage: Stage, blockchainHash: string): Promise<void> {
  for (const { depositId } of await stage.deposits(blockchainHash)) {
    await stage.open.decide({ kind: 'release', depositId, reason: 'checked' });
  }
}
