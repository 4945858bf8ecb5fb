import { expect, test } from 'vitest';
import { covers } from '../coverage.ts';
import { signaturesOf } from '../external-signer.ts';
import { matching, TEXT } from '../matchers.ts';
import { setStage } from '../stage.ts';
import { EtherOrders } from './ether-orders.ts';

const stage = setStage('progress');
const orders = new EtherOrders(stage);

const HOUR_MS = 3_600_000;
const SENT = ['outgoing requested', 'outgoing inited', 'outgoing signed', 'outgoing submitted'];

test(
  'a quorum-gated order waits at approval-pending, reports each step but the last, and never pending',
  covers('progress/approval-pending', 'progress/approved'),
  async () => {
    const approvers = await Promise.all([stage.client(), stage.client(), stage.client()]);
    const ids = approvers.map(({ clientId }) => clientId);
    const { vault } = await orders.funded({ quorum: 2, approvers: ids });
    const order = await orders.from(vault);
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'approval-pending', quorum: 2, approvals: [], flowId: TEXT },
    ]);
    expect(await orders.statusOf(order)).toBe('approval-pending');
    const decide = `/transactions/${String(order['transactionId'])}/approvals`;
    await approvers[0]?.call('POST', decide, { decision: 'approve' });
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'approved', quorum: 2, approvals: [{ clientId: ids[0], decision: 'approve' }] },
    ]);
    expect(await orders.statusOf(order)).toBe('approval-pending');
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
    const { vault } = await orders.funded();
    const order = await orders.from(vault, { metadata: { note: 'kept' } });
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
    expect(await orders.statusOf(order)).toBe('mined');
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
    const { vault } = await orders.funded({ externalSigner: true });
    const order = await orders.from(vault);
    expect(await stage.received('outgoing')).toEqual([
      'outgoing pending',
      'outgoing requested',
      'outgoing inited',
      'outgoing to-sign',
    ]);
    expect(await orders.statusOf(order)).toBe('to-sign');
    const signatures = signaturesOf(vault.xprv, order);
    const path = `/transactions/${String(order['transactionId'])}/signatures`;
    await stage.api('POST', path, { signatures });
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    await stage.mine('ethereum');
    expect(await orders.statusOf(order)).toBe('mined');
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
    const { vault } = await orders.funded({
      quorum: 1,
      approvers: [approver.clientId],
      masterApproval: { approvers: [first.clientId, second.clientId] },
      externalSigner: true,
    });
    const { transactionId } = await orders.from(vault);
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
    const unsigned = await stage.transaction(transactionId);
    expect(unsigned['signingPayloads']).toEqual(bundle['payloads']);
    const signatures = signaturesOf(vault.xprv, unsigned);
    await stage.api('POST', `${path}/signatures`, { signatures });
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    expect((await stage.api('GET', `${path}/events`)).rows).toHaveLength(7);
  },
);

test(
  'a shortage warns once, keeps the status, and the order continues after a top-up',
  covers('progress/warning'),
  async () => {
    const { vault, address } = await orders.funded({}, '500');
    const order = await orders.from(vault);
    const before = [
      'outgoing pending',
      'outgoing requested',
      'outgoing inited',
      'outgoing warning insufficient_balance',
    ];
    expect(await stage.received('outgoing')).toEqual(before);
    expect(await orders.statusOf(order)).toBe('inited');
    await stage.advance(5 * HOUR_MS);
    expect(await stage.received('outgoing')).toEqual([]);
    await stage.deposit(address, 'ETH', '1000000000000000000');
    await stage.mine('ethereum');
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    await stage.mine('ethereum');
    expect(await orders.statusOf(order)).toBe('mined');
  },
);
