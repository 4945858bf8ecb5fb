import { expect, test } from 'vitest';
import { CANCELLATION_REASONS, WARNING_REASONS } from '../../../../src/wire/event-names.ts';
import type { CancellationReason } from '../../../../src/wire/event-names.ts';
import type { Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { holding } from '../matchers.ts';
import { setStage } from '../stage.ts';
import type { Vault } from '../stage.ts';

const stage = setStage('reasons');

const HOUR_MS = 3_600_000;
const ETH = '1000000000000000000';

async function funded(settings: Json = {}, amount = ETH): Promise<Vault> {
  const vault = await stage.vault(settings);
  await stage.fund(await stage.address(vault, 'ethereum'), 'ETH', amount);
  return vault;
}

const orderFrom = (vault: Vault, more: Json = {}) =>
  stage.order(vault, { asset: 'ethereum:ETH', ...more });

/** A reason that only a failure inside the service can cause, so a fault causes it. */
async function struckBy(fault: Json): Promise<Json> {
  const vault = await funded();
  await stage.faults({ transactions: [fault] });
  const order = await orderFrom(vault);
  await stage.advance(24 * HOUR_MS);
  return order;
}

async function pendingReplacement(): Promise<Json> {
  const vault = await funded();
  const { transactionId } = await orderFrom(vault);
  await stage.mine('ethereum');
  return orderFrom(vault, { replacesTransactionId: transactionId });
}

async function bitcoinOrder(amount: string): Promise<{ vault: Vault; order: Json }> {
  const vault = await stage.vault();
  await stage.fund(await stage.address(vault, 'bitcoin'), 'BTC', '100000000');
  return { vault, order: await stage.order(vault, { asset: 'bitcoin:BTC', amount }) };
}

/** Causes each cancellation reason and returns the order that ends with it. */
const WAYS: Record<CancellationReason, () => Promise<Json>> = {
  insufficient_balance: async () => {
    const order = await orderFrom(await funded({}, '500'));
    await stage.advance(24 * HOUR_MS);
    return order;
  },
  singner_unavailable: () => struckBy({ fault: 'pause', reasonCode: 'singner_unavailable' }),
  hosted_singner_unavailable: () =>
    struckBy({ fault: 'pause', reasonCode: 'hosted_singner_unavailable' }),
  managed_singner_unavailable: () =>
    struckBy({ fault: 'pause', reasonCode: 'managed_singner_unavailable' }),
  shared_singner_unavailable: () =>
    struckBy({ fault: 'pause', reasonCode: 'shared_singner_unavailable' }),
  network_maintenance: () => struckBy({ fault: 'pause', reasonCode: 'network_maintenance' }),
  // A transaction that no block takes in holds the only output.
  not_enough_utxos: async () => {
    const { vault } = await bitcoinOrder('1000000');
    const order = await stage.order(vault, { asset: 'bitcoin:BTC', amount: '2000000' });
    await stage.advance(24 * HOUR_MS);
    return order;
  },
  order_expired: async () => {
    const { clientId } = await stage.client();
    const order = await orderFrom(await funded({ quorum: 1, approvers: [clientId] }));
    await stage.advance(7 * 24 * HOUR_MS);
    return order;
  },
  // Below the smallest output that the network relays.
  invalid_order: async () => (await bitcoinOrder('100')).order,
  transaction_expired: async () => {
    const order = await orderFrom(await funded({ externalSigner: true }));
    await stage.advance(24 * HOUR_MS);
    return order;
  },
  declined_by_client: async () => {
    const order = await orderFrom(await funded({ externalSigner: true }));
    await stage.api('POST', `/transactions/${String(order['transactionId'])}/cancel`);
    return order;
  },
  rejected_by_approver: async () => {
    const { clientId, call } = await stage.client();
    const order = await orderFrom(await funded({ quorum: 1, approvers: [clientId] }));
    const path = `/transactions/${String(order['transactionId'])}/approvals`;
    await call('POST', path, { decision: 'reject' });
    return order;
  },
  rejected_by_master_approver: async () => {
    const { clientId, call } = await stage.client();
    const order = await orderFrom(await funded({ masterApproval: { approvers: [clientId] } }));
    const path = `/transactions/${String(order['transactionId'])}/approvals`;
    await call('POST', path, { decision: 'reject' });
    return order;
  },
  replacement_status_invalid: pendingReplacement,
  hash_already_exists: () => struckBy({ fault: 'cancel', reasonCode: 'hash_already_exists' }),
};

for (const reason of CANCELLATION_REASONS) {
  test(`an order ends cancelled as ${reason}`, covers(`reasons/cancelled/${reason}`), async () => {
    const { transactionId } = await WAYS[reason]();
    const received = (await stage.notifications('outgoing')).filter(
      (each) => each.transactionId === transactionId,
    );
    expect(received.at(-1)).toMatchObject({ type: 'cancelled', reasonCode: reason });
    expect(received.at(-1)).not.toHaveProperty('reasonDetails');
    expect(await stage.transaction(transactionId)).toMatchObject({
      status: 'cancelled',
      reasonCode: reason,
    });
    await stage.mine('ethereum', 5);
    await stage.advance(48 * HOUR_MS);
    expect(await stage.notifications('outgoing')).not.toContainEqual(holding({ transactionId }));
  });
}

test(
  'a source that cannot cover amount plus fee warns; its details are in the events only',
  covers('reasons/warning/insufficient_balance'),
  async () => {
    // The amount is there, but not the fee.
    const { transactionId } = await orderFrom(await funded({}, '2000'));
    const warning = (await stage.notifications('outgoing')).at(-1);
    expect(warning).toMatchObject({ type: 'warning', reasonCode: 'insufficient_balance' });
    expect(warning).not.toHaveProperty('reasonDetails');
    const events = await stage.api('GET', `/transactions/${String(transactionId)}/events`);
    expect(events.rows.at(-1)).toMatchObject({
      type: 'warning',
      reasonCode: 'insufficient_balance',
      reasonDetails: {
        shortfalls: [{ asset: 'ethereum:ETH', required: '21000000001000', available: '2000' }],
      },
    });
  },
);

test(
  'an unavailable hosted signer warns, without details; the order continues when it is back',
  covers('reasons/warning/hosted_singner_unavailable'),
  async () => {
    const vault = await funded();
    const reasonCode = 'hosted_singner_unavailable';
    await stage.faults({ transactions: [{ fault: 'pause', reasonCode }] });
    const { transactionId } = await orderFrom(vault);
    expect((await stage.received('outgoing')).at(-1)).toBe(`outgoing warning ${reasonCode}`);
    expect(await stage.transaction(transactionId)).toMatchObject({ status: 'inited', reasonCode });
    await stage.advance(HOUR_MS);
    expect(await stage.received('outgoing')).toEqual([]);
    await stage.faults({});
    await stage.advance(60_000);
    expect(await stage.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
    const events = await stage.api('GET', `/transactions/${String(transactionId)}/events`);
    expect(events.rows.filter((event) => 'reasonDetails' in event)).toEqual([]);
  },
);

test('no other paused condition warns', covers('reasons/warning/no-others'), async () => {
  const warned: string[] = [];
  for (const reasonCode of CANCELLATION_REASONS) {
    await stage.reset();
    const vault = await funded();
    await stage.faults({ transactions: [{ fault: 'pause', reasonCode, count: 1 }] });
    await orderFrom(vault);
    const paused = await stage.notifications('outgoing');
    await stage.advance(60_000);
    const resumed = await stage.notifications('outgoing');
    expect(
      [...paused, ...resumed].map(({ type }) => type).filter((type) => type !== 'warning'),
    ).toEqual(['pending', 'requested', 'inited', 'signed', 'submitted']);
    warned.push(
      ...paused
        .filter(({ type }) => type === 'warning')
        .map((each) => `${each.type} ${String(each['reasonCode'])}`),
    );
    // An order that waits for its signing only is built; the others are not.
    const isBuilt = reasonCode !== 'not_enough_utxos' && reasonCode !== 'network_maintenance';
    expect(paused.some(({ type }) => type === 'inited')).toBe(isBuilt);
  }
  expect(warned).toEqual(WARNING_REASONS.map((reason) => `warning ${reason}`));
});

test('an order that cannot be built yet stays requested without a warning, and is built later', async () => {
  const { vault, order: first } = await bitcoinOrder('1000000');
  await stage.forget();
  // The first order holds its only output until a block returns the change.
  const { transactionId } = await stage.order(vault, { asset: 'bitcoin:BTC', amount: '2000000' });
  expect(await stage.received('outgoing')).toEqual(['outgoing pending', 'outgoing requested']);
  await stage.advance(HOUR_MS);
  expect(await stage.received('outgoing')).toEqual([]);
  const paused = { transactionId, status: 'requested', reasonCode: 'not_enough_utxos' };
  expect((await stage.api('GET', '/transactions?filter[status]=requested')).rows).toMatchObject([
    paused,
  ]);
  await stage.mine('bitcoin');
  const received = await stage.notifications('outgoing');
  expect(received.map((each) => `${each.type} ${String(each.transactionId)}`)).toEqual([
    `mined ${String(first['transactionId'])}`,
    ...['inited', 'signed', 'submitted'].map((type) => `${type} ${String(transactionId)}`),
  ]);
  const { status, reasonCode } = await stage.transaction(transactionId);
  expect({ status, reasonCode: reasonCode ?? null }).toEqual({
    status: 'submitted',
    reasonCode: null,
  });
});
