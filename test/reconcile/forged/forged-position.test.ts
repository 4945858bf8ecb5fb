import { expect, test } from 'vitest';
import { audit } from '../../store/bookkeeping/audited.ts';
import { ETH, GRACE_MS, Stage, type DepositAddress, type Webhook } from '../stage.ts';

const HUGE_DEPTH = 1_000_000;
const XRP = 'ripple:XRP';

type EntryBody = Record<string, unknown>;

/** The entries of the newest `incoming` webhook, and a repeat of it, deeper and with other entries. */
function lieAbout(
  stage: Stage,
  changed: (entry: EntryBody) => EntryBody,
  id = 'forged',
  confirmations = HUGE_DEPTH,
): Webhook {
  const truth = [...stage.heard.values()].filter(({ stream }) => stream === 'incoming').at(-1);
  if (truth === undefined) throw new Error('no incoming webhook');
  const balanceChanges = (truth['balanceChanges'] as EntryBody[]).map(changed);
  return { ...truth, id, confirmations, balanceChanges };
}

/** A payment to a memo, three deep. */
async function paidToMemo(memo: { registered: boolean }) {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress('ripple');
  const { vaultId, accountId, addressId } = depositAddress;
  if (memo.registered) await stage.api('POST', '/memos', { addressId, memo: '77' });
  const more = { network: 'ripple', asset: XRP, memo: '77' };
  const hash = await stage.pay(depositAddress, 30_000_000, more);
  await stage.mine(3, 'ripple');
  const position = (name: string) => ({
    [`${vaultId}/${accountId}/${addressId}${name} ${XRP}`]: '30000000',
  });
  return { stage, hash, atAddress: position(''), atMemo: position('/77') };
}

function attributed(entry: EntryBody): EntryBody {
  return { ...entry, memoInfo: { id: 'm', memo: '77', name: '', data: {} } };
}

function unattributed({ memoInfo: _, ...entry }: EntryBody): EntryBody {
  return entry;
}

test('a webhook alone attributes no memo: the deposit is held, and booked at its address', async () => {
  const { stage, hash, atAddress, atMemo } = await paidToMemo({ registered: false });
  await stage.deliver(lieAbout(stage, attributed));
  expect(stage.open.positions()).toEqual(atMemo);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('held: unattributed_memo');
  expect(stage.open.positions()).toEqual(atAddress);
  expect(stage.open.feedLines()).toEqual([]);
  expect(stage.open.openBreaks()).toEqual(['unattributed_memo']);
});

test('a lie after the verification credits nothing either', async () => {
  const { stage, hash, atAddress } = await paidToMemo({ registered: false });
  await stage.run();
  await stage.deliver(lieAbout(stage, attributed));
  expect(stage.open.feedLines()).toEqual([]);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('held: unattributed_memo');
  expect(stage.open.positions()).toEqual(atAddress);
  await stage.deliver(lieAbout(stage, attributed, 'again', HUGE_DEPTH + 1));
  expect(stage.open.feedLines()).toEqual([]);
  expect(stage.open.positions()).toEqual(atAddress);
});

test('a webhook that leaves the attribution out does not keep a deposit from its credit', async () => {
  const { stage, hash, atAddress, atMemo } = await paidToMemo({ registered: true });
  await stage.deliver(lieAbout(stage, unattributed));
  expect(stage.open.positions()).toEqual(atAddress);
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.positions()).toEqual(atMemo);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a registered memo that the API does not attribute is held with a break until it does', async () => {
  const { stage, hash, atAddress, atMemo } = await paidToMemo({ registered: true });
  const { client } = stage;
  const list = client.transactions.bind(client);
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    const rows = answer.value.rows.map((row) => ({
      ...row,
      balanceChanges: row.balanceChanges?.map((entry) => ({ ...entry, memoInfo: null })) ?? null,
    }));
    return { ...answer, value: { ...answer.value, rows } };
  };
  await stage.run();
  expect(await stage.depositState(hash)).toBe('held: unattributed_memo');
  expect(stage.open.positions()).toEqual(atAddress);
  expect(stage.open.openBreaks()).toEqual(['unattributed_memo']);
  client.transactions = list;
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 30000000']);
  expect(stage.open.positions()).toEqual(atMemo);
  expect(stage.open.openBreaks()).toEqual([]);
});

/** A payment of 700 units, three deep, and another address of the same account. */
async function paidBeside() {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const other = await stage.caller.address(depositAddress.accountId, 'ethereum');
  const hash = await stage.paid(depositAddress, 700, 3);
  const elsewhere = (entry: EntryBody) => ({ ...entry, address: { id: other.addressId } });
  return { stage, depositAddress, hash, elsewhere };
}

function positionOf({ vaultId, accountId, addressId }: DepositAddress): Record<string, string> {
  return { [`${vaultId}/${accountId}/${addressId} ethereum:ETH`]: '700' };
}

test('a deposit whose webhooks are lost is booked and credited, although a webhook named its transaction at another address', async () => {
  const stage = await Stage.start();
  const subscription = { webhookUrl: await stage.webhookUrl(), vaults: 'all' } as const;
  const sweep = stage.newSweep({ subscription });
  const depositAddress = await stage.depositAddress();
  stage.loses = ({ stream }) => stream === 'incoming';
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find(({ type }) => type === 'confirmation');
  const balanceChanges = [{ asset: ETH, amount: '700', tags: [] }];
  await stage.deliver({ ...webhook, id: 'forged', addressId: 'another', balanceChanges });
  for (let run = 0; run < 4; run += 1) {
    await stage.caller.advance(GRACE_MS);
    await stage.run(sweep);
  }
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(await stage.deposits(hash)).toContainEqual(
    expect.objectContaining({ addressId: depositAddress.addressId, state: 'credited' }),
  );
  expect(stage.open.openBreak('unknown_to_custody').severity).toBe('critical');
  expect(audit(stage.open)).toEqual([]);
});

test('entries that a webhook moves to another address move back, and breaks say so', async () => {
  const { stage, depositAddress, hash, elsewhere } = await paidBeside();
  await stage.deliver(lieAbout(stage, elsewhere));
  expect(stage.open.openBreak('amount_changed').detail).toContain(
    'at different accounts or addresses',
  );
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.positions()).toEqual(positionOf(depositAddress));
  expect(stage.open.openBreak('unknown_to_custody').severity).toBe('critical');
});

test('entries that a webhook moves after the credit leave a break, and move back', async () => {
  const { stage, depositAddress, elsewhere } = await paidBeside();
  await stage.run();
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.deliver(lieAbout(stage, elsewhere));
  expect(stage.open.openBreaks()).toEqual(['amount_changed']);
  await stage.run();
  expect(stage.open.positions()).toEqual(positionOf(depositAddress));
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});
