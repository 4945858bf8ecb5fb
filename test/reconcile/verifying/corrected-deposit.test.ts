import { expect, test } from 'vitest';
import { ETH, GRACE_MS, Stage, type DepositAddress, type Webhook } from '../stage.ts';

const incoming = ({ stream }: Webhook): boolean => stream === 'incoming';

/** Runs, waits for longer than the grace, and runs again. */
async function runPastGrace(stage: Stage): Promise<void> {
  await stage.run();
  await stage.caller.advance(GRACE_MS + 60_000);
  await stage.run();
}

/** The first webhook of a payment of 700 that is three deep; it was lost on the way. */
async function lostPayment(): Promise<{
  stage: Stage;
  depositAddress: DepositAddress;
  hash: string;
  webhook: Webhook;
}> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = incoming;
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find(({ type }) => type === 'confirmation');
  if (webhook === undefined) throw new Error('nothing was told');
  return { stage, depositAddress, hash, webhook };
}

/** A day on which another payment, of 5, moves the list's head: older rows are shown no more. */
async function passDay(stage: Stage, depositAddress: DepositAddress): Promise<void> {
  const { loses } = stage;
  stage.loses = () => false;
  await stage.caller.advance(24 * 3_600_000);
  await stage.paid(depositAddress, 5, 3);
  await stage.run();
  await stage.caller.advance(GRACE_MS + 600_000);
  await stage.run();
  stage.loses = loses;
}

function paying(amount: string, asset = ETH): object {
  return { balanceChanges: [{ asset, amount, tags: [] }] };
}

const HUGE = { confirmations: 1_000_000 };

/** `incoming by webhook`, `incoming by api takes back 3`: entries of the books, in order. */
function entries(stage: Stage): string[] {
  return stage.open
    .rows<{ source: string; reverses: number | null }>(
      "SELECT source, reverses FROM entries WHERE view = 'books' ORDER BY entry_id",
    )
    .map(({ source, reverses }) => (reverses === null ? source : `${source} takes back`));
}

/** `amount_mismatch of dep… corrected`: keys of the open breaks without their ids. */
function openKeys(stage: Stage): string[] {
  return stage.open
    .breaks()
    .filter(({ state }) => state !== 'resolved')
    .map(({ key }) => (JSON.parse(key) as string[]).toSpliced(1, 1).join(' '))
    .sort();
}

test('the custody API corrects a wrong amount at a huge depth, and the true amount is credited', async () => {
  const { stage, hash, webhook } = await lostPayment();
  await stage.deliver({ ...webhook, id: 'forged', ...HUGE, ...paying('70000') });
  await stage.deliverLost();
  await stage.run();
  expect(stage.open.openBreak('amount_mismatch')).toMatchObject({
    expected: '700',
    actual: '70000',
  });
  expect(stage.open.feedLines()).toEqual([]);
  await stage.caller.advance(GRACE_MS + 60_000);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(Object.values(stage.open.positions())).toEqual(['700']);
  expect(entries(stage)).toEqual(['webhook', 'api takes back', 'api']);
  expect(openKeys(stage)).toEqual(['amount_mismatch corrected']);
  const found = stage.open.openBreak('amount_mismatch');
  expect(found).toMatchObject({ severity: 'critical', expected: '700', actual: '70000' });
  expect(found.detail).toMatch(/find out who sent the notifications$/);
});

test('no correction before the difference has been on record for the grace', async () => {
  const { stage, webhook } = await lostPayment();
  await stage.deliver({ ...webhook, id: 'forged', ...HUGE, ...paying('70000') });
  await stage.run();
  await stage.caller.advance(GRACE_MS - 60_000);
  await stage.run();
  expect(entries(stage)).toEqual(['webhook']);
  expect(openKeys(stage)).toEqual(['amount_mismatch']);
});

test('the custody API corrects a wrong first transactionId, and the deposit is credited', async () => {
  const { stage, hash, webhook } = await lostPayment();
  await stage.deliver({ ...webhook, id: 'forged', transactionId: 'nobody' });
  await stage.deliverLost();
  await stage.run();
  expect(stage.open.openBreaks()).toContain('unknown_to_custody');
  expect(stage.open.feedLines()).toEqual([]);
  await stage.caller.advance(GRACE_MS + 60_000);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const [deposit] = await stage.deposits(hash);
  expect(deposit?.transactionId).toBe(webhook.transactionId);
  expect(openKeys(stage)).toEqual(['unknown_to_custody corrected']);
});

test('a wrong transactionId is put right hours later, when the list shows the row no more', async () => {
  const { stage, depositAddress, hash, webhook } = await lostPayment();
  await stage.run();
  await passDay(stage, depositAddress);
  await stage.deliver({ ...webhook, id: 'forged', transactionId: 'nobody' });
  await runPastGrace(stage);
  expect(stage.open.feedLines()).toEqual(['credit 5', 'credit 700']);
  expect(await stage.depositState(hash)).toBe('credited');
});

test('the true transactionId of another deposit is put right as well', async () => {
  const { stage, depositAddress, webhook } = await lostPayment();
  await stage.run();
  await passDay(stage, depositAddress);
  const [other] = await stage.deposits();
  expect(other?.amount).toBe(5n);
  await passDay(stage, depositAddress);
  await stage.deliver({ ...webhook, id: 'forged', transactionId: other?.transactionId });
  await runPastGrace(stage);
  expect(stage.open.feedLines()).toEqual(['credit 5', 'credit 5', 'credit 700']);
  expect(openKeys(stage)).toEqual(['unknown_to_custody corrected']);
});

test('another asset at its position is reversed, and the paid asset is booked and credited', async () => {
  const { stage, webhook } = await lostPayment();
  await stage.deliver({ ...webhook, id: 'forged', ...HUGE, ...paying('70000', 'ethereum:FORGED') });
  await runPastGrace(stage);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(Object.values(stage.open.positions())).toEqual(['700']);
  expect(openKeys(stage)).toEqual(['amount_mismatch corrected', 'unknown_to_custody']);
});

test('a forged notification after the correction does not undo it, and a true one changes nothing', async () => {
  const stage = await Stage.start({
    policy: { default: { confirmations: 12 }, networks: {}, assets: {} },
  });
  const depositAddress = await stage.depositAddress();
  stage.loses = incoming;
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find(({ type }) => type === 'confirmation');
  await stage.deliver({ ...webhook, id: 'forged', ...HUGE, ...paying('70000') });
  await runPastGrace(stage);
  expect(entries(stage)).toEqual(['webhook', 'api takes back', 'api']);
  const deeper = { confirmations: 2_000_000 };
  await stage.deliver({ ...webhook, id: 'again', ...deeper, ...paying('80000') });
  expect(stage.open.openBreak('amount_changed')).toMatchObject({
    expected: '80000',
    actual: '700',
  });
  await stage.deliver({
    ...webhook,
    id: 'other',
    confirmations: 3_000_000,
    ...paying('9', 'eth:X'),
  });
  await stage.deliverLost();
  expect(entries(stage)).toEqual(['webhook', 'api takes back', 'api']);
  expect(stage.open.feedLines()).toEqual([]);
  await stage.mine(9);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect((await stage.deposits(hash)).map(({ amount }) => amount)).toContain(700n);
});

test('a credited deposit is booked again as it was credited, and the feed says nothing', async () => {
  const { stage, depositAddress, webhook } = await lostPayment();
  await stage.deliverLost();
  await stage.run();
  await passDay(stage, depositAddress);
  expect(stage.open.feedLines()).toEqual(['credit 700', 'credit 5']);
  await stage.deliver({ ...webhook, id: 'forged', ...HUGE, ...paying('70000') });
  expect(Object.values(stage.open.positions())).toEqual(['70005']);
  await runPastGrace(stage);
  expect(Object.values(stage.open.positions())).toEqual(['705']);
  expect(stage.open.feedLines()).toEqual(['credit 700', 'credit 5']);
  expect(openKeys(stage)).toEqual(['amount_mismatch corrected']);
});

test('an approval for the wrong amount does not credit the right one', async () => {
  const policy = {
    default: { confirmations: 3, oneApprovalAbove: 100n },
    networks: {},
    assets: {},
  };
  const stage = await Stage.start({ policy: policy as never });
  const depositAddress = await stage.depositAddress();
  stage.loses = incoming;
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find(({ type }) => type === 'confirmation');
  await stage.deliver({ ...webhook, id: 'forged', ...HUGE, ...paying('70000') });
  const { depositId } = (await stage.deposits(hash))[0] ?? {};
  if (depositId === undefined) throw new Error('no deposit');
  await stage.open.decide({ kind: 'approve', depositId, reason: 'looks fine' });
  await runPastGrace(stage);
  expect(await stage.depositState(hash)).toBe('held: approval_required');
  await stage.open.decide({ kind: 'approve', depositId, reason: 'the amount is right now' });
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});
