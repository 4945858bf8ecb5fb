import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { signaturesOf } from '../external-signer.ts';
import { matching, TEXT } from '../matchers.ts';
import { setStage } from '../stage.ts';
import type { Vault } from '../stage.ts';

const stage = setStage('progress');

const HOUR_MS = 3_600_000;
const truthRows = z.array(
  z.looseObject({ transactionId: z.string().nullable(), status: z.string() }),
);
const ETH = '1000000000000000000';
const SENT = ['outgoing requested', 'outgoing inited', 'outgoing signed', 'outgoing submitted'];

async function funded(settings: Json = {}, amount = ETH) {
  const vault = await stage.vault(settings);
  const address = await stage.address(vault, 'ethereum');
  await stage.fund(address, 'ETH', amount);
  return { vault, address };
}

const orderFrom = (vault: Vault, more: Json = {}) =>
  stage.order(vault, { asset: 'ethereum:ETH', ...more });

async function statusOf(order: Json): Promise<unknown> {
  return (await stage.transaction(order['transactionId']))['status'];
}

test(
  'a quorum-gated order waits at approval-pending, reports each step but the last, and never pending',
  covers('progress/approval-pending', 'progress/approved'),
  async () => {
    const approvers = await Promise.all([stage.client(), stage.client(), stage.client()]);
    const ids = approvers.map(({ clientId }) => clientId);
    const { vault } = await funded({ quorum: 2, approvers: ids });
    const order = await orderFrom(vault);
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'approval-pending', quorum: 2, approvals: [], flowId: TEXT },
    ]);
    expect(await statusOf(order)).toBe('approval-pending');
    const decide = `/transactions/${String(order['transactionId'])}/approvals`;
    await approvers[0]?.call('POST', decide, { decision: 'approve' });
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'approved', quorum: 2, approvals: [{ clientId: ids[0], decision: 'approve' }] },
    ]);
    expect(await statusOf(order)).toBe('approval-pending');
    await approvers[1]?.call('POST', decide, { decision: 'approve' });
    expect(await stage.received('outgoing')).toEqual(SENT);
  },
);

test(
  'a no-quorum order reports pending and becomes requested, and never approval-pending',
  covers(
    'progress/pending',
    'progress/requested',
    'progress/inited',
    'progress/signed',
    'progress/submitted',
    'progress/mined',
    'progress/rule-4',
  ),
  async () => {
    const { vault } = await funded();
    const order = await orderFrom(vault, { metadata: { note: 'kept' } });
    const received = await stage.notifications('outgoing');
    expect(received.map(({ type }) => type)).toEqual([
      'pending',
      'requested',
      'inited',
      'signed',
      'submitted',
    ]);
    expect(received[0]).toMatchObject({ quorum: 0, approvals: [] });
    expect(received[0]).not.toHaveProperty('flowId');
    // There is no hash before the transaction is sent.
    expect(received.filter((each) => 'blockchainHash' in each)).toEqual([received[4]]);
    const { blockchainHash } = await stage.transaction(order['transactionId']);
    expect(received[4]).toMatchObject({ blockchainHash });
    await stage.mine('ethereum');
    const [mined, ...more] = await stage.notifications('outgoing');
    expect(more).toEqual([]);
    expect(mined).toMatchObject({
      type: 'mined',
      blockchainHash,
      metadata: { note: 'kept', gas: '21000', gasPrice: '1000000000', fee: '21000000000000' },
      balanceChanges: [{ amount: '-1000' }, { amount: '-21000000000000', tags: ['fee'] }],
    });
    expect(await statusOf(order)).toBe('mined');
    const events = await stage.api('GET', `/transactions/${String(order['transactionId'])}/events`);
    expect(events.rows.map(({ type }) => type)).toEqual([
      ...received.map(({ type }) => type),
      'mined',
    ]);
    const find = (status: string) => stage.api('GET', `/transactions?filter[status]=${status}`);
    expect((await find('requested')).rows).toEqual([]);
    expect((await find('mined')).rows).toHaveLength(1);
  },
);

test(
  'only an external-signer vault reports to-sign, and signed once its signatures are accepted',
  covers('progress/to-sign'),
  async () => {
    const { vault } = await funded({ externalSigner: true });
    const order = await orderFrom(vault);
    expect(await stage.received('outgoing')).toEqual([
      'outgoing pending',
      'outgoing requested',
      'outgoing inited',
      'outgoing to-sign',
    ]);
    expect(await statusOf(order)).toBe('to-sign');
    const signatures = signaturesOf(vault.xprv, order);
    const path = `/transactions/${String(order['transactionId'])}/signatures`;
    await stage.api('POST', path, { signatures });
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    await stage.mine('ethereum');
    expect(await statusOf(order)).toBe('mined');
  },
);

test(
  'a master-approval vault has no event types of its own and shows its final signing bundle',
  covers('progress/rule-3'),
  async () => {
    const [approver, first, second] = [
      await stage.client(),
      await stage.client(),
      await stage.client(),
    ];
    const { vault } = await funded({
      quorum: 1,
      approvers: [approver.clientId],
      masterApproval: { approvers: [first.clientId, second.clientId] },
      externalSigner: true,
    });
    const { transactionId } = await orderFrom(vault);
    const path = `/transactions/${String(transactionId)}`;
    const approve = { decision: 'approve' };
    await approver.call('POST', `${path}/approvals`, approve);
    const bundle = (await stage.api('GET', `${path}/master-approval-payload`)).body;
    expect(bundle).toMatchObject({ transactionId, masterApprovals: [], complete: false });
    expect(bundle['payloads']).toEqual([
      { payload: matching(/^[0-9a-f]{64}$/), hdpath: 'm/44/60/0/0/0' },
    ]);
    await first.call('POST', `${path}/approvals`, approve);
    await second.call('POST', `${path}/approvals`, approve);
    expect(await stage.received('outgoing')).toEqual([
      'outgoing approval-pending',
      'outgoing requested',
      'outgoing inited',
      'outgoing approved',
      'outgoing to-sign',
    ]);
    const waiting = await stage.transaction(transactionId);
    expect(waiting['signingPayloads']).toEqual(bundle['payloads']);
    const signatures = signaturesOf(vault.xprv, waiting);
    await stage.api('POST', `${path}/signatures`, { signatures });
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    expect((await stage.api('GET', `${path}/events`)).rows).toHaveLength(7);
  },
);

test(
  'a shortage warns once, keeps the status, and the order continues after a top-up',
  covers('progress/warning'),
  async () => {
    const { vault, address } = await funded({}, '500');
    const order = await orderFrom(vault);
    const before = [
      'outgoing pending',
      'outgoing requested',
      'outgoing inited',
      'outgoing warning insufficient_balance',
    ];
    expect(await stage.received('outgoing')).toEqual(before);
    expect(await statusOf(order)).toBe('inited');
    await stage.advance(5 * HOUR_MS);
    expect(await stage.received('outgoing')).toEqual([]);
    await stage.deposit(address, 'ETH', ETH);
    await stage.mine('ethereum');
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    await stage.mine('ethereum');
    expect(await statusOf(order)).toBe('mined');
  },
);

test(
  'a pause that lasts for the whole retry window ends cancelled with its reason',
  covers('progress/retry-window', 'progress/cancelled'),
  async () => {
    const { vault } = await funded({}, '500');
    const order = await orderFrom(vault);
    await stage.advance(24 * HOUR_MS - 1);
    expect(await statusOf(order)).toBe('inited');
    await stage.forget();
    await stage.advance(1);
    expect(await stage.received('outgoing')).toEqual(['outgoing cancelled insufficient_balance']);
    expect(await stage.transaction(order['transactionId'])).toMatchObject({
      status: 'cancelled',
      reasonCode: 'insufficient_balance',
    });
  },
);

test(
  'a decline by the client is a cancellation, without an event type of its own',
  covers('progress/declined-is-cancelled'),
  async () => {
    const approver = await stage.client();
    const { vault } = await funded({ quorum: 1, approvers: [approver.clientId] });
    const order = await orderFrom(vault);
    await stage.api('POST', `/transactions/${String(order['transactionId'])}/cancel`);
    expect(await stage.received('outgoing')).toEqual([
      'outgoing approval-pending',
      'outgoing cancelled declined_by_client',
    ]);
    expect(await statusOf(order)).toBe('cancelled');
  },
);

test(
  'a failure on-chain carries its hash; one during processing has none',
  covers('progress/failed'),
  async () => {
    const { vault } = await funded();
    await stage.faults({ transactions: [{ fault: 'revert', count: 1 }] });
    const reverted = await orderFrom(vault);
    await stage.forget();
    await stage.mine('ethereum');
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'failed', blockchainHash: reverted['blockchainHash'] },
    ]);
    await stage.faults({ transactions: [{ fault: 'processing', count: 1 }] });
    const broken = await orderFrom(vault);
    const received = await stage.notifications('outgoing');
    expect(received.map(({ type }) => type)).toEqual(['pending', 'requested', 'inited', 'failed']);
    expect(received[3]).not.toHaveProperty('blockchainHash');
    expect([await statusOf(reverted), await statusOf(broken)]).toEqual(['failed', 'failed']);
  },
);

test(
  'a reorg that drops a submitted or mined transaction ends it as rolledback',
  covers('progress/rolledback'),
  async () => {
    const { vault } = await funded();
    const submitted = await orderFrom(vault);
    await stage.forget();
    await stage.reorg('ethereum', 0, [String(submitted['blockchainHash'])]);
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'rolledback', blockchainHash: submitted['blockchainHash'] },
    ]);
    const mined = await orderFrom(vault);
    await stage.mine('ethereum', 2);
    await stage.forget();
    await stage.reorg('ethereum', 2, [String(mined['blockchainHash'])]);
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'rolledback', blockchainHash: mined['blockchainHash'] },
    ]);
    await stage.mine('ethereum', 20);
    expect(await stage.received('outgoing')).toEqual([]);
    expect([await statusOf(submitted), await statusOf(mined)]).toEqual([
      'rolledback',
      'rolledback',
    ]);
  },
);

test('a transaction that is mined again after a reorg stays mined and reports nothing new', async () => {
  const { vault } = await funded();
  const order = await orderFrom(vault);
  await stage.mine('ethereum', 2);
  await stage.forget();
  await stage.reorg('ethereum', 2);
  await stage.mine('ethereum', 20);
  expect(await stage.received('outgoing')).toEqual([]);
  expect(await statusOf(order)).toBe('mined');
});

test(
  'a replacement that is mined ends its original as replaced',
  covers('progress/replaced'),
  async () => {
    const { vault } = await funded();
    const original = await orderFrom(vault);
    const { transactionId } = original;
    const replacement = await orderFrom(vault, { replacesTransactionId: transactionId });
    await stage.forget();
    await stage.mine('ethereum');
    const received = await stage.notifications('outgoing');
    expect(received).toMatchObject([
      { type: 'mined', transactionId: replacement['transactionId'] },
      { type: 'replaced', transactionId, blockchainHash: original['blockchainHash'] },
    ]);
    expect([await statusOf(original), await statusOf(replacement)]).toEqual(['replaced', 'mined']);
  },
);

test('on a UTXO network only orders with all sources of the original can replace it', async () => {
  const vault = await stage.vault();
  const [first, second] = [
    await stage.address(vault, 'bitcoin'),
    await stage.address(vault, 'bitcoin'),
  ];
  for (const address of [first, second]) await stage.fund(address, 'BTC', '1000000');
  const pay = (amount: string, more: Json = {}) =>
    stage.order(vault, { asset: 'bitcoin:BTC', amount, ...more });
  // Takes the outputs of both addresses.
  const original = await pay('1500000');
  const replaces = { replacesTransactionId: original['transactionId'] };
  const { addressId } = second;
  const other = await pay('1000', { addressId, ...replaces });
  expect(await stage.transaction(other['transactionId'])).toMatchObject({
    status: 'cancelled',
    reasonCode: 'invalid_order',
  });
  const whole = await pay('1500000', replaces);
  await stage.mine('bitcoin');
  expect([await statusOf(original), await statusOf(whole)]).toEqual(['replaced', 'mined']);
  const truth = await stage.sim('GET', '/sim/truth/transactions');
  const mined = truthRows
    .parse(truth['data'])
    .filter(({ transactionId }) => transactionId !== null);
  expect(mined.map(({ transactionId, status }) => [transactionId, status])).toEqual([
    [original['transactionId'], 'dropped'],
    [whole['transactionId'], 'confirmed'],
  ]);
});

test('a UTXO replacement from another sender never pays beside its original', async () => {
  const vault = await stage.vault();
  const [first, second] = [
    await stage.address(vault, 'bitcoin'),
    await stage.address(vault, 'bitcoin'),
  ];
  for (const address of [first, second]) await stage.fund(address, 'BTC', '1000000');
  const from = (address: { addressId: string }, more: Json = {}) =>
    stage.order(vault, { asset: 'bitcoin:BTC', addressId: address.addressId, ...more });
  const original = await from(first);
  const other = await from(second, { replacesTransactionId: original['transactionId'] });
  await stage.mine('bitcoin');
  expect([await statusOf(original), await statusOf(other)]).toEqual(['mined', 'cancelled']);
});

test(
  'nothing follows a terminal event but the rollback of a mined one',
  covers('progress/rule-1', 'progress/rule-2'),
  async () => {
    const { vault } = await funded();
    const paths: Record<string, Json> = {};
    paths['mined'] = await orderFrom(vault);
    await stage.mine('ethereum');
    await stage.faults({ transactions: [{ fault: 'cancel', count: 1 }] });
    paths['cancelled'] = await orderFrom(vault);
    await stage.faults({ transactions: [{ fault: 'revert', count: 1 }] });
    paths['failed'] = await orderFrom(vault);
    await stage.mine('ethereum');
    await stage.faults({});
    paths['replaced'] = await orderFrom(vault);
    await orderFrom(vault, { replacesTransactionId: paths['replaced']['transactionId'] });
    await stage.mine('ethereum');
    paths['rolledback'] = await orderFrom(vault);
    await stage.reorg('ethereum', 0, [String(paths['rolledback']['blockchainHash'])]);
    await stage.forget();
    await stage.mine('ethereum', 20);
    await stage.advance(48 * HOUR_MS);
    expect(await stage.received('outgoing')).toEqual([]);
    const walked: Record<string, unknown[]> = {};
    for (const [status, order] of Object.entries(paths)) {
      const path = `/transactions/${String(order['transactionId'])}`;
      expect((await stage.transaction(order['transactionId']))['status']).toBe(status);
      walked[status] = (await stage.api('GET', `${path}/events`)).rows.map(({ type }) => type);
    }
    const sent = ['pending', 'requested', 'inited', 'signed', 'submitted'];
    expect(walked).toEqual({
      mined: [...sent, 'mined'],
      cancelled: ['pending', 'requested', 'inited', 'cancelled'],
      failed: [...sent, 'failed'],
      replaced: [...sent, 'replaced'],
      rolledback: [...sent, 'rolledback'],
    });
  },
);
