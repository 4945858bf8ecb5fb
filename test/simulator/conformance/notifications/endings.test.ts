import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { setStage } from '../stage.ts';
import { EtherOrders } from './ether-orders.ts';

const stage = setStage('endings');
const orders = new EtherOrders(stage);

const HOUR_MS = 3_600_000;
const truthRows = z.array(
  z.looseObject({ transactionId: z.string().nullable(), status: z.string() }),
);

test(
  'a pause that lasts for the whole retry window ends cancelled with its reason',
  covers('endings/retry-window', 'endings/cancelled'),
  async () => {
    const { vault } = await orders.funded({}, '500');
    const order = await orders.from(vault);
    await stage.advance(24 * HOUR_MS - 1);
    expect(await orders.statusOf(order)).toBe('inited');
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
  covers('endings/declined-is-cancelled'),
  async () => {
    const approver = await stage.client();
    const { vault } = await orders.funded({ quorum: 1, approvers: [approver.clientId] });
    const order = await orders.from(vault);
    await stage.api('POST', `/transactions/${String(order['transactionId'])}/cancel`);
    expect(await stage.received('outgoing')).toEqual([
      'outgoing approval-pending',
      'outgoing cancelled declined_by_client',
    ]);
    expect(await orders.statusOf(order)).toBe('cancelled');
  },
);

test(
  'a failure on-chain carries its hash; one during processing has none',
  covers('endings/failed'),
  async () => {
    const { vault } = await orders.funded();
    await stage.faults({ transactions: [{ fault: 'revert', count: 1 }] });
    const reverted = await orders.from(vault);
    await stage.forget();
    await stage.mine('ethereum');
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'failed', blockchainHash: reverted['blockchainHash'] },
    ]);
    await stage.faults({ transactions: [{ fault: 'processing', count: 1 }] });
    const broken = await orders.from(vault);
    const received = await stage.notifications('outgoing');
    expect(received.map(({ type }) => type)).toEqual(['pending', 'requested', 'inited', 'failed']);
    expect(received[3]).not.toHaveProperty('blockchainHash');
    expect([await orders.statusOf(reverted), await orders.statusOf(broken)]).toEqual([
      'failed',
      'failed',
    ]);
  },
);

test(
  'a reorg that drops a submitted or mined transaction ends it as rolledback',
  covers('endings/rolledback'),
  async () => {
    const { vault } = await orders.funded();
    const submitted = await orders.from(vault);
    await stage.forget();
    await stage.reorg('ethereum', 0, [String(submitted['blockchainHash'])]);
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'rolledback', blockchainHash: submitted['blockchainHash'] },
    ]);
    const mined = await orders.from(vault);
    await stage.mine('ethereum', 2);
    await stage.forget();
    await stage.reorg('ethereum', 2, [String(mined['blockchainHash'])]);
    expect(await stage.notifications('outgoing')).toMatchObject([
      { type: 'rolledback', blockchainHash: mined['blockchainHash'] },
    ]);
    await stage.mine('ethereum', 20);
    expect(await stage.received('outgoing')).toEqual([]);
    expect([await orders.statusOf(submitted), await orders.statusOf(mined)]).toEqual([
      'rolledback',
      'rolledback',
    ]);
  },
);

test('a transaction that is mined again after a reorg stays mined and reports nothing new', async () => {
  const { vault } = await orders.funded();
  const order = await orders.from(vault);
  await stage.mine('ethereum', 2);
  await stage.forget();
  await stage.reorg('ethereum', 2);
  await stage.mine('ethereum', 20);
  expect(await stage.received('outgoing')).toEqual([]);
  expect(await orders.statusOf(order)).toBe('mined');
});

test(
  'a replacement that is mined ends its original as replaced',
  covers('endings/replaced'),
  async () => {
    const { vault } = await orders.funded();
    const original = await orders.from(vault);
    const { transactionId } = original;
    const replacement = await orders.from(vault, { replacesTransactionId: transactionId });
    await stage.forget();
    await stage.mine('ethereum');
    const received = await stage.notifications('outgoing');
    expect(received).toMatchObject([
      { type: 'mined', transactionId: replacement['transactionId'] },
      { type: 'replaced', transactionId, blockchainHash: original['blockchainHash'] },
    ]);
    expect([await orders.statusOf(original), await orders.statusOf(replacement)]).toEqual([
      'replaced',
      'mined',
    ]);
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
  expect([await orders.statusOf(original), await orders.statusOf(whole)]).toEqual([
    'replaced',
    'mined',
  ]);
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
  expect([await orders.statusOf(original), await orders.statusOf(other)]).toEqual([
    'mined',
    'cancelled',
  ]);
});

test(
  'nothing follows a terminal event but the rollback of a mined one',
  covers('endings/rule-1', 'endings/rule-2'),
  async () => {
    const { vault } = await orders.funded();
    const paths: Record<string, Json> = {};
    paths['mined'] = await orders.from(vault);
    await stage.mine('ethereum');
    await stage.faults({ transactions: [{ fault: 'cancel', count: 1 }] });
    paths['cancelled'] = await orders.from(vault);
    await stage.faults({ transactions: [{ fault: 'revert', count: 1 }] });
    paths['failed'] = await orders.from(vault);
    await stage.mine('ethereum');
    await stage.faults({});
    paths['replaced'] = await orders.from(vault);
    await orders.from(vault, { replacesTransactionId: paths['replaced']['transactionId'] });
    await stage.mine('ethereum');
    paths['rolledback'] = await orders.from(vault);
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
