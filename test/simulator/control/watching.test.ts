import { afterEach, expect, onTestFinished, test } from 'vitest';
import { RealClock } from '../../../src/simulator/clock.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import type { Json } from '../call.ts';
import { startReceiver } from '../webhook-receiver.ts';

const callers: Caller[] = [];
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller.stop();
});

async function start(options: Parameters<typeof startCaller>[0] = {}): Promise<Caller> {
  const caller = await startCaller(options);
  callers.push(caller);
  return caller;
}

/** A vault with a bitcoin address, whose `incoming` webhooks go to this URL. */
async function subscribed(caller: Caller, webhookUrl: string) {
  const vaultId = await caller.vault({ name: 'watched' });
  const { addressId } = await caller.address(await caller.account(vaultId), 'bitcoin');
  await caller.api('POST', `/subscriptions/${vaultId}`, { webhookUrl, streams: ['incoming'] });
  return { vaultId, addressId };
}

async function pay(caller: Caller, addressId: string): Promise<string> {
  const payment = { network: 'bitcoin', addressId, asset: 'bitcoin:BTC', amount: '5000' };
  return String((await caller.sim('POST', '/sim/deposits', payment))['blockchainHash']);
}

function rowsOf(answer: Json): Json[] {
  return answer['data'] as Json[];
}

test('a notification is listed by vault, stream and state, and a delivered one is sent again', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const caller = await start();
  const { vaultId, addressId } = await subscribed(caller, receiver.url);
  await pay(caller, addressId);
  await caller.advance(0);
  const list = async (query: string) =>
    rowsOf(await caller.sim('GET', `/sim/notifications?${query}`));
  const [row] = await list(`vaultId=${vaultId}&stream=incoming&status=delivered`);
  expect(row).toMatchObject({ vaultId, type: 'mempool', attempts: 1, status: 'delivered' });
  expect(await list('status=pending')).toEqual([]);
  expect(await list('stream=outgoing')).toEqual([]);
  expect(await list('page=1&pageSize=1')).toEqual([]);

  const replay = `/sim/notifications/${String(row?.['id'])}/replay`;
  expect(await caller.sim('POST', replay)).toMatchObject({ statusCode: 200, delivered: true });
  const attempts = rowsOf(await caller.sim('GET', '/sim/deliveries'));
  expect(attempts.map(({ kind }) => kind)).toEqual(['queue', 'replay']);

  await caller.api('DELETE', `/subscriptions/${vaultId}`);
  expect((await caller.control('POST', replay)).body['errorMessage']).toContain('no subscription');
  expect((await caller.control('POST', '/sim/notifications/none/replay')).status).toBe(404);
});

test('a waiting notification cannot be replayed, but its queue can be tried now', async () => {
  const caller = await start();
  // Nobody listens at this port.
  const { vaultId, addressId } = await subscribed(caller, 'http://127.0.0.1:9/hook');
  await pay(caller, addressId);
  await caller.advance(0);
  const [row] = rowsOf(await caller.sim('GET', '/sim/notifications?status=pending'));
  const replay = await caller.control('POST', `/sim/notifications/${String(row?.['id'])}/replay`);
  expect([replay.status, replay.body['errorMessage']]).toEqual([
    400,
    `Notification ${String(row?.['id'])} is still pending: retry its vault's queue`,
  ]);
  const queues = async () => rowsOf(await caller.sim('GET', '/sim/queues'));
  expect(await queues()).toMatchObject([{ vaultId, size: 1, consecutiveFailures: 1 }]);
  await caller.sim('POST', `/sim/queues/${vaultId}/retry`);
  await caller.advance(0);
  expect(await queues()).toMatchObject([{ vaultId, size: 1, consecutiveFailures: 2 }]);
  expect((await caller.control('POST', '/sim/queues/none/retry')).status).toBe(404);
});

test('faults are switched on and off one by one, and each counts its strikes', async () => {
  const caller = await start();
  const networks = async (): Promise<number> => (await caller.api('GET', '/networks')).status;
  await caller.sim('POST', '/sim/faults', { api: [{ fault: '429', count: 1 }] });
  await caller.sim('POST', '/sim/faults', { api: [{ fault: 'error', count: 2 }] });
  await caller.sim('POST', '/sim/faults', { transactions: [{ fault: 'revert' }] });
  // The first fault strikes and answers; the second strikes at the same request.
  expect([await networks(), await networks(), await networks()]).toEqual([429, 500, 200]);
  const strikes = async () => rowsOf(await caller.sim('GET', '/sim/faults/strikes'));
  expect(await strikes()).toEqual([
    { list: 'api', index: 0, fault: { fault: '429', count: 1 }, strikes: 1 },
    { list: 'api', index: 1, fault: { fault: 'error', count: 2 }, strikes: 2 },
    { list: 'transactions', index: 0, fault: { fault: 'revert' }, strikes: 0 },
  ]);
  await caller.sim('DELETE', '/sim/faults/api/0');
  expect(await strikes()).toMatchObject([
    { list: 'api', index: 0, fault: { fault: 'error' }, strikes: 2 },
    { list: 'transactions', strikes: 0 },
  ]);
  expect(await networks()).toBe(200);
  await caller.sim('DELETE', '/sim/faults/transactions/0');
  await caller.sim('DELETE', '/sim/faults/api/0');
  expect(await caller.sim('GET', '/sim/faults')).toEqual({});
  expect((await caller.control('DELETE', '/sim/faults/api/0')).status).toBe(404);
  expect((await caller.control('DELETE', '/sim/faults/nothing/0')).status).toBe(400);
});

test('a fault on orders counts its strikes, also when another is switched off', async () => {
  const caller = await start();
  const vaultId = await caller.vault();
  const { addressId } = await caller.address(await caller.account(vaultId), 'bitcoin');
  await pay(caller, addressId);
  await caller.sim('POST', '/sim/blocks', { network: 'bitcoin' });
  const cancel = { fault: 'cancel', reasonCode: 'network_maintenance' };
  const pause = { fault: 'pause', network: 'litecoin' };
  await caller.sim('PUT', '/sim/faults', { transactions: [pause, cancel] });
  const order = { vaultId, network: 'bitcoin', asset: 'bitcoin:BTC', amount: '1000' };
  const destinationAddress = (await caller.address(await caller.account(vaultId), 'bitcoin'))
    .networkAddress;
  await caller.api('POST', '/transactions', { ...order, orderId: 'one', destinationAddress });
  await caller.sim('DELETE', '/sim/faults/transactions/0');
  expect(rowsOf(await caller.sim('GET', '/sim/faults/strikes'))).toEqual([
    { list: 'transactions', index: 0, fault: cancel, strikes: 1 },
  ]);
});

test('a chain lists its blocks, and a transaction with movements outside custody too', async () => {
  const caller = await start();
  const vaultId = await caller.vault();
  const { addressId } = await caller.address(await caller.account(vaultId), 'bitcoin');
  const hash = await pay(caller, addressId);
  const read = (path: string) => caller.sim('GET', `/sim/chains/${path}`);
  const before = await read('bitcoin/blocks');
  expect(before).toMatchObject({ network: 'bitcoin', mempool: [hash], data: [] });
  await caller.sim('POST', '/sim/blocks', { network: 'bitcoin', count: 3 });
  const height = Number(before['height']) + 1;
  expect(await read('bitcoin/blocks')).toMatchObject({
    height: height + 2,
    mempool: [],
    data: [{ height, confirmations: 3, blockchainHashes: [hash] }],
  });
  expect(await read(`transactions/${hash}`)).toMatchObject({
    status: 'confirmed',
    blockHeight: height,
    movements: [{ vaultId, addressId, asset: 'bitcoin:BTC', amount: '5000' }],
  });
  expect((await caller.control('GET', '/sim/chains/nowhere/blocks')).status).toBe(404);
  expect((await caller.control('GET', '/sim/chains/transactions/none')).status).toBe(404);
});

test('snapshots are listed with the time of the core', async () => {
  const caller = await start();
  const { snapshotId } = await caller.sim('POST', '/sim/snapshot');
  const now = Number((await caller.sim('GET', '/sim/clock'))['now']);
  await caller.advance(60_000);
  expect(rowsOf(await caller.sim('GET', '/sim/snapshots'))).toEqual([{ snapshotId, now }]);
});

test('a virtual clock never moves alone; a real clock can stop and continue', async () => {
  const virtual = await start();
  const still = await virtual.sim('GET', '/sim/clock');
  expect(await virtual.sim('POST', '/sim/clock/pause')).toEqual(still);
  expect((await virtual.control('POST', '/sim/clock/go-on')).status).toBe(400);
  const real = await start({ clock: 'real' });
  expect(await real.sim('GET', '/sim/clock')).toEqual({
    now: expect.any(Number) as number,
    virtual: false,
  });
  const { now } = await real.sim('POST', '/sim/clock/pause');
  expect(await real.sim('GET', '/sim/clock')).toEqual({ now, virtual: false, paused: true });
  expect(await real.sim('POST', '/sim/clock/go-on')).not.toHaveProperty('paused');
});

test('while a real clock is paused, calls work and their webhooks go out', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const caller = await start({ clock: 'real', autoMine: true });
  const { addressId } = await subscribed(caller, receiver.url);
  const { now } = await caller.sim('POST', '/sim/clock/pause');
  await pay(caller, addressId);
  await receiver.until(() => receiver.hits.length === 1);
  expect(receiver.hits[0]?.body).toMatchObject({ type: 'mempool', timestamp: now });
});

test('a paused clock runs no task; afterwards what became due runs in order', async () => {
  const clock = new RealClock();
  const ran: string[] = [];
  clock.pause();
  const now = clock.now();
  clock.at(now - 1, () => void ran.push('second'));
  clock.at(now - 2, () => void ran.push('first'));
  const cancelled = clock.at(now, () => void ran.push('cancelled'));
  // A task of another clock is due later than those of the paused one would be.
  await new Promise<void>((resolve) => new RealClock().at(now + 20, resolve));
  expect([ran, clock.now()]).toEqual([[], now]);
  clock.cancel(cancelled);
  const last = new Promise<void>((resolve) => clock.at(now + 1, resolve));
  clock.goOn();
  await last;
  expect(ran).toEqual(['first', 'second']);
});

test('a person signs with the key that only they have', async () => {
  const caller = await start();
  const vault = await caller.sim('POST', '/sim/vaults', { name: 'own keys', externalSigner: true });
  const vaultId = String(vault['vaultId']);
  const { addressId } = await caller.address(await caller.account(vaultId), 'bitcoin');
  await pay(caller, addressId);
  await caller.sim('POST', '/sim/blocks', { network: 'bitcoin' });
  const { networkAddress: destinationAddress } = await caller.address(
    await caller.account(await caller.vault()),
    'bitcoin',
  );
  const order = { vaultId, network: 'bitcoin', asset: 'bitcoin:BTC', amount: '1000' };
  const ordered = await caller.api('POST', '/transactions', {
    ...order,
    orderId: 'signed',
    destinationAddress,
  });
  const path = `/sim/transactions/${String(ordered.body['transactionId'])}`;
  expect(await caller.sim('GET', path)).toMatchObject({ status: 'to-sign' });
  const sign = (xprv: string) => caller.control('POST', `${path}/signatures`, { xprv });
  expect((await sign('nonsense')).body['errorMessage']).toContain('not an extended private key');
  const { xprv } = vault['externalSigner'] as { xprv: string };
  expect((await sign(xprv)).body).toMatchObject({ status: 'submitted' });
  expect((await caller.control('POST', `${path}/cancel`)).status).toBe(409);
});

test('approvers approve one after the other, and one who rejects ends the transaction', async () => {
  const caller = await start();
  const [ana, ben] = [(await caller.client([])).clientId, (await caller.client([])).clientId];
  const vaultId = await caller.vault({ quorum: 2, approvers: [ana, ben] });
  const { addressId, networkAddress } = await caller.address(
    await caller.account(vaultId),
    'bitcoin',
  );
  await pay(caller, addressId);
  await caller.sim('POST', '/sim/blocks', { network: 'bitcoin' });
  const order = { vaultId, network: 'bitcoin', asset: 'bitcoin:BTC', amount: '1000' };
  const ordered = await caller.api('POST', '/transactions', {
    ...order,
    orderId: 'approved',
    destinationAddress: networkAddress,
  });
  const path = `/sim/transactions/${String(ordered.body['transactionId'])}`;
  const say = (clientId: string, decision: string) =>
    caller.control('POST', `${path}/decisions`, { clientId, decision });
  expect((await say(caller.clientId, 'approve')).status).toBe(403);
  expect((await say(ana, 'approve')).body).toMatchObject({ status: 'approval-pending' });
  expect((await say(ben, 'reject')).body).toMatchObject({ reasonCode: 'rejected_by_approver' });
  expect((await caller.sim('GET', path))['events']).toMatchObject([
    { type: 'approval-pending' },
    { type: 'approved' },
    { type: 'cancelled' },
  ]);
});
