import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Attempt, CallOptions } from '../../src/custody/call/caller.ts';
import { CustodyClient } from '../../src/custody/client.ts';
import { errorReply, ScriptedService } from './scripted-service.ts';
import { VirtualClock } from './virtual-clock.ts';

const { privateKey: pem } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const privateKey = createPrivateKey(pem);

const TRANSACTION = {
  transactionId: 'tx-1',
  vaultId: 'v-1',
  type: 'incoming',
  status: 'confirmed',
  network: 'ethereum',
  blockchainHash: '0xabc',
  confirmations: 12,
  balanceChanges: [{ asset: 'ethereum:ETH', amount: '1000000000000000000000000' }],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

let service: ScriptedService;
let clock: VirtualClock;
let attempts: Attempt[];
let client: CustodyClient;

beforeEach(async () => {
  service = await ScriptedService.start();
  // Waits for backoff and budget end at once; the 10 s of a request end when a test says so.
  clock = new VirtualClock({ holds: (ms) => ms === 10_000 });
  attempts = [];
  client = clientOf({});
});

afterEach(async () => {
  await client.close();
  await service.stop();
});

function clientOf(options: { baseUrl?: string; addressTransactions?: string }): CustodyClient {
  return new CustodyClient({
    baseUrl: options.baseUrl ?? service.baseUrl,
    clientId: 'client-7',
    privateKey,
    clock,
    random: () => 0.5,
    observe: (attempt) => attempts.push(attempt),
    ...(options.addressTransactions === undefined
      ? {}
      : { paths: { addressTransactions: options.addressTransactions } }),
  });
}

function soon(within = 300_000): CallOptions {
  return { priority: 'deposits', deadlineMs: clock.now() + within };
}

const page = (data: readonly unknown[], total = data.length): unknown => ({
  data,
  pagination: { page: 0, pageSize: 100, total },
});

test('a look-up carries a signed bearer token and gives the transaction', async () => {
  service.answer(() => ({ json: TRANSACTION }));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({ kind: 'ok', value: TRANSACTION });
  const [asked] = service.asked;
  expect(asked).toMatchObject({ method: 'GET', path: '/api/v1/transactions/tx-1', body: '' });
  const token = (asked?.headers.authorization ?? '').replace(/^Bearer /, '');
  const verified = await jwtVerify(token, createPublicKey(pem), {
    currentDate: new Date(clock.now()),
  });
  expect(verified.payload.iss).toBe('client-7');
});

test('a base address may bring its own path, with or without the version prefix', async () => {
  service.answer(() => ({ json: TRANSACTION }));
  for (const path of ['', '/', '/api/v1', '/api/v1/', '/custody/']) {
    const other = clientOf({ baseUrl: service.baseUrl + path });
    await other.transaction('tx-1', soon());
    await other.close();
  }
  expect(service.asked.map(({ path }) => path)).toEqual([
    '/api/v1/transactions/tx-1',
    '/api/v1/transactions/tx-1',
    '/api/v1/transactions/tx-1',
    '/api/v1/transactions/tx-1',
    '/custody/api/v1/transactions/tx-1',
  ]);
});

test('a list asks for its page, order and filters, and leaves out what is not given', async () => {
  service.answer(() => ({ json: page([TRANSACTION]) }));
  await client.transactions(
    { page: 2, pageSize: 985, sort: 'updatedAt:desc', type: 'incoming', vaultId: 'v&1' },
    soon(),
  );
  expect(Object.fromEntries(service.asked[0]?.query ?? [])).toEqual({
    page: '2',
    pageSize: '985',
    sort: 'updatedAt:desc',
    'filter[type]': 'incoming',
    'filter[vaultId]': 'v&1',
  });
});

test('what nobody reads may have any shape', async () => {
  const strange = {
    ...TRANSACTION,
    quorum: { required: 2, of: 3 },
    approvals: ['ann', 7],
    signingPayloads: 'none',
    createdAt: 1_767_225_600_000,
  };
  service.answer(({ path }) => ({ json: path.endsWith('/tx-1') ? strange : page([strange]) }));
  expect(await client.transaction('tx-1', soon())).toEqual({ kind: 'ok', value: strange });
  expect(await client.transactions({ page: 0, pageSize: 100 }, soon())).toMatchObject({
    kind: 'ok',
    value: { rows: [strange], unreadable: [] },
  });
});

test('a row that cannot be read is reported beside the others, not in place of them', async () => {
  const odd = { ...TRANSACTION, transactionId: 'tx-2', type: 'sideways' };
  service.answer(() => ({ json: page([TRANSACTION, odd]) }));
  const outcome = await client.transactions({ page: 0, pageSize: 100 }, soon());
  expect(outcome).toMatchObject({
    kind: 'ok',
    value: { rows: [{ transactionId: 'tx-1' }], unreadable: [{ id: 'tx-2' }], total: 2 },
  });
});

test('an amount that is a JSON number makes its row unreadable', async () => {
  const lossy = { ...TRANSACTION, balanceChanges: [{ asset: 'ethereum:ETH', amount: 12 }] };
  service.answer(() => ({ json: page([lossy]) }));
  const outcome = await client.transactions({ page: 0, pageSize: 100 }, soon());
  expect(outcome).toMatchObject({
    kind: 'ok',
    value: { rows: [], unreadable: [{ id: 'tx-1' }] },
  });
});

test('the path of the per-address list is configurable, and ids stay one segment of it', async () => {
  service.answer(() => ({ json: page([]) }));
  await client.addressTransactions({ page: 0, pageSize: 1, addressId: 'a/../b?c' }, soon());
  const other = clientOf({ addressTransactions: '/chain/{addressId}/list' });
  await other.addressTransactions({ page: 0, pageSize: 1, addressId: 'a1' }, soon());
  await other.close();
  expect(service.asked.map(({ path }) => path)).toEqual([
    '/api/v1/addresses/a%2F..%2Fb%3Fc/blockchain-transactions',
    '/api/v1/chain/a1/list',
  ]);
});

test.each(['', '.', '..', '\ud800'])('an id of %j is never sent', async (id) => {
  const outcome = await client.transaction(id, soon());
  expect(outcome).toMatchObject({ kind: 'malformed' });
  expect(service.asked).toEqual([]);
});

test('networks are read from an array and from an envelope, but not from half a list', async () => {
  const networks = [{ key: 'bitcoin', confirmations: [1, 3, 6] }];
  service.answerInTurn(
    { json: networks },
    { json: { data: networks } },
    { json: page(networks, 9) },
  );
  expect(await client.networks(soon())).toEqual({ kind: 'ok', value: networks });
  expect(await client.networks(soon())).toEqual({ kind: 'ok', value: networks });
  expect(await client.networks(soon())).toEqual({
    kind: 'malformed',
    detail: 'only 1 of 9 rows were sent',
  });
});

test('vaults and the addresses of a vault are pages', async () => {
  service.answerInTurn(
    { json: page([{ vaultId: 'v-1' }]) },
    { json: page([{ addressId: 'a-1', networkAddress: '0x1', network: 'ethereum' }]) },
  );
  const vaults = await client.vaults({ page: 0, pageSize: 100 }, soon());
  expect(vaults).toMatchObject({ kind: 'ok', value: { rows: [{ vaultId: 'v-1' }] } });
  const addresses = await client.addresses({ page: 0, pageSize: 100, vaultId: 'v-1' }, soon());
  expect(addresses).toMatchObject({ kind: 'ok', value: { rows: [{ addressId: 'a-1' }] } });
  expect(service.asked[1]?.query.get('filter[vaultId]')).toBe('v-1');
});

test('the subscription endpoints send and read what the interface says', async () => {
  const rows = [{ vaultId: 'v-1', stream: 'incoming', webhookUrl: 'https://x.example/hooks/t' }];
  const record = {
    id: 'n-1',
    timestamp: 1,
    stream: 'incoming',
    type: 'confirmation',
    status: 'delivered',
  };
  service.answerInTurn(
    { json: { data: rows } },
    { json: { data: rows } },
    { json: { confirmations: { bitcoin: 3 } } },
    { json: { confirmations: {} } },
    { json: { nextTryAt: null } },
    { json: { data: [record] } },
    { json: { deliveryId: 'd-1', statusCode: 200, delivered: true } },
  );
  const { subscriptions } = client;
  const streams = ['incoming' as const];
  const webhookUrl = 'https://x.example/hooks/t';
  const outcomes = [
    await subscriptions.of('v-1', soon()),
    await subscriptions.replace({ vaultId: 'v-1', webhookUrl, streams }, soon()),
    await subscriptions.overrides('v-1', soon()),
    await subscriptions.replaceOverrides({ vaultId: 'v-1', confirmations: {} }, soon()),
    await subscriptions.pullRetriesForward('v-1', soon()),
    await subscriptions.notifications('tx-1', soon()),
    await subscriptions.replay({ notificationId: 'n-1', url: webhookUrl }, soon()),
  ];
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from(outcomes, () => 'ok'));
  expect(service.asked.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', '/api/v1/subscriptions/v-1', ''],
    ['POST', '/api/v1/subscriptions/v-1', JSON.stringify({ webhookUrl, streams })],
    ['GET', '/api/v1/subscriptions/v-1/confirmations', ''],
    ['PUT', '/api/v1/subscriptions/v-1/confirmations', '{"confirmations":{}}'],
    ['PATCH', '/api/v1/subscriptions/v-1/notifications/retry-schedule', ''],
    ['GET', '/api/v1/subscriptions/notifications', ''],
    ['POST', '/api/v1/subscriptions/notifications/n-1/replay', JSON.stringify({ url: webhookUrl })],
  ]);
  expect(service.asked[1]?.headers['content-type']).toBe('application/json');
});

test("a 404 with the service's own code is not-found", async () => {
  service.answer(() => errorReply(404, 'NE-1'));
  expect(await client.transaction('tx-1', soon())).toEqual({ kind: 'not-found' });
  expect(service.asked).toHaveLength(1);
});

test.each([
  ['a page of a proxy', { status: 404, text: '<html>no such page</html>' }],
  ['another JSON', { status: 404, json: { message: 'no route' } }],
  ['another code', errorReply(404, 'BR-1')],
])('a 404 with %s is never not-found', async (_name, reply) => {
  service.answer(() => reply);
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome.kind).not.toBe('not-found');
  expect(outcome.kind).not.toBe('ok');
});

test.each(['AU-1', 'AU-2'])(
  'a 4xx is refused with the error of the service, listed or not, and not tried again: %s',
  async (errorCode) => {
    service.answer(() => errorReply(403, errorCode));
    const outcome = await client.transaction('tx-1', soon());
    expect(outcome).toMatchObject({ kind: 'refused', error: { statusCode: 403, errorCode } });
    expect(service.asked).toHaveLength(1);
  },
);

test('after a 401 the next request brings a new token', async () => {
  service.answerInTurn(errorReply(401, 'AU-1'), { json: TRANSACTION });
  await client.transaction('tx-1', soon());
  clock.advance(1_000);
  await client.transaction('tx-1', soon());
  const [first, second] = service.asked.map(({ headers }) => headers.authorization);
  expect(second).not.toBe(first);
});

test.each([
  ['a 500', errorReply(500, 'GE-1')],
  ['a 502 of a proxy', { status: 502, text: '<html>bad gateway</html>' }],
  ['a broken connection', { fault: 'reset' as const }],
  ['a cut body', { fault: 'cut' as const }],
  ['half a JSON', { text: '{"data":[{"transa' }],
  ['an empty body', { text: '' }],
])('%s is overcome by a second try', async (_name, reply) => {
  service.answerInTurn(reply, { json: TRANSACTION });
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({ kind: 'ok', value: TRANSACTION });
  expect(service.asked).toHaveLength(2);
});

test('retries are few, and their waits grow with full jitter', async () => {
  service.answer(() => errorReply(503, 'HAC-1'));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toMatchObject({
    kind: 'unavailable',
    cause: { kind: 'server-error', status: 503, error: { errorCode: 'HAC-1' } },
  });
  expect(service.asked).toHaveLength(3);
  expect(clock.jumps).toEqual([250, 500]);
});

test('the wait that a 503 asks for is respected', async () => {
  service.answerInTurn(errorReply(503, 'HAC-1', { 'retry-after': '7' }), { json: TRANSACTION });
  await client.transaction('tx-1', soon());
  expect(clock.jumps).toEqual([7_000]);
});

test('a retry that would end after the deadline is not made', async () => {
  service.answer(() => errorReply(503, 'HAC-1', { 'retry-after': '60' }));
  const outcome = await client.transaction('tx-1', soon(60_000));
  expect(outcome).toMatchObject({ kind: 'unavailable', cause: { kind: 'server-error' } });
  expect(service.asked).toHaveLength(1);
});

test('a call that changes something is sent once, whatever becomes of it', async () => {
  service.answer(() => ({ fault: 'reset' }));
  const outcome = await client.subscriptions.pullRetriesForward('v-1', soon());
  expect(outcome).toMatchObject({ kind: 'unavailable', cause: { kind: 'connection' } });
  expect(service.asked).toHaveLength(1);
});

test('a lasting half JSON is malformed, and tells no values of it', async () => {
  service.answer(() => ({ text: '{"secret":"s3cr3t"' }));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({ kind: 'malformed', detail: 'the body of 18 bytes is not JSON' });
});

test('a whole answer of another shape is malformed at once, with the place', async () => {
  service.answer(() => ({ json: { ...TRANSACTION, vaultId: 7 } }));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome.kind === 'malformed' ? outcome.detail : outcome.kind).toMatch(/^vaultId: /);
  expect(service.asked).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  service.answer(() => ({ status: 302, headers: { location: '/elsewhere' }, text: '' }));
  expect((await client.transaction('tx-1', soon())).kind).toBe('malformed');
  expect(service.asked).toHaveLength(1);
});

test('a body beyond the bound is malformed and not read to its end', async () => {
  service.answer(() => ({ text: ' '.repeat(33 * 1024 * 1024) }));
  expect(await client.transaction('tx-1', soon())).toEqual({
    kind: 'malformed',
    detail: 'the body is longer than the bound',
  });
});

test('an answer that does not come is given up after 10 s, and tried again', async () => {
  service.answerInTurn({ fault: 'hang' }, { json: TRANSACTION });
  const heard = service.heard();
  const call = client.transaction('tx-1', soon());
  await heard;
  clock.advance(9_999);
  expect(attempts).toEqual([]);
  clock.advance(1);
  expect(await call).toEqual({ kind: 'ok', value: TRANSACTION });
  expect(attempts).toMatchObject([
    { operation: 'transaction', result: 'unavailable', status: null, durationMs: 10_000 },
    { operation: 'transaction', result: 'ok', status: 200 },
  ]);
});

test('a deadline nearer than 10 s ends the attempt, and does not count against the service', async () => {
  clock = new VirtualClock();
  await client.close();
  client = clientOf({});
  service.answer(() => ({ fault: 'hang' }));
  const heard = service.heard();
  const call = client.transaction('tx-1', soon(4_000));
  await heard;
  clock.advance(4_000);
  expect(await call).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
  expect(client.circuit()).toEqual({ kind: 'closed', failures: 0 });
});

test('the signal of the caller ends the call', async () => {
  service.answer(() => ({ fault: 'hang' }));
  const stop = new AbortController();
  const heard = service.heard();
  const call = client.transaction('tx-1', { ...soon(), signal: stop.signal });
  await heard;
  stop.abort();
  expect(await call).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
});

test('nothing is sent after the deadline', async () => {
  const outcome = await client.transaction('tx-1', soon(0));
  expect(outcome).toEqual({ kind: 'unavailable', cause: { kind: 'deadline' } });
  expect(service.asked).toEqual([]);
});

test('a service that nobody can reach is unavailable, with the cause', async () => {
  await service.stop();
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({
    kind: 'unavailable',
    cause: { kind: 'connection', detail: 'ECONNREFUSED' },
  });
  service = await ScriptedService.start();
});

test('failures in a row open the circuit: nothing is sent until it tries again', async () => {
  service.answer(() => errorReply(500, 'GE-1'));
  await client.transaction('tx-1', soon());
  await client.transaction('tx-1', soon());
  const sent = service.asked.length;
  expect(client.circuit().kind).toBe('open');
  const state = client.circuit();
  expect(await client.transaction('tx-1', soon())).toEqual({
    kind: 'unavailable',
    cause: { kind: 'circuit-open', retryAtMs: state.kind === 'open' ? state.retryAtMs : 0 },
  });
  expect(service.asked).toHaveLength(sent);
  expect(client.room('deposits')).toBe(0);
  service.answer(() => ({ json: TRANSACTION }));
  clock.advance(30_000);
  expect(client.room('deposits')).toBe(1);
  expect((await client.transaction('tx-1', soon())).kind).toBe('ok');
  expect(client.circuit()).toEqual({ kind: 'closed', failures: 0 });
});

test('none remaining: the client is silent until the reset, then goes on', async () => {
  const reset = String(clock.now() / 1000 + 30);
  service.answerInTurn(
    { json: TRANSACTION, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } },
    { json: TRANSACTION },
  );
  const before = clock.now();
  await client.transaction('tx-1', soon());
  expect(await client.transaction('tx-1', soon(29_999))).toEqual({
    kind: 'rate-budget',
    retryAtMs: before + 30_000,
  });
  expect(service.asked).toHaveLength(1);
  expect((await client.transaction('tx-1', soon(60_000))).kind).toBe('ok');
  expect(clock.now()).toBe(before + 30_000);
});

test('a 429 waits as told and is tried again, also for a call that changes something', async () => {
  service.answerInTurn(errorReply(429, 'RL-1', { 'retry-after': '12' }), {
    json: { nextTryAt: null },
  });
  const outcome = await client.subscriptions.pullRetriesForward('v-1', soon());
  expect(outcome).toEqual({ kind: 'ok', value: { nextTryAt: null } });
  expect(clock.jumps).toEqual([12_000]);
});

test('a 429 whose wait passes the deadline ends as rate-budget', async () => {
  service.answer(() => errorReply(429, 'RL-1', { 'retry-after': '120' }));
  const before = clock.now();
  expect(await client.transaction('tx-1', soon(60_000))).toEqual({
    kind: 'rate-budget',
    retryAtMs: before + 120_000,
  });
  expect(service.asked).toHaveLength(1);
});

test('a request beyond the budget is not sent', async () => {
  service.answer(() => ({ json: TRANSACTION }));
  for (let count = 0; count < 100; count += 1) await client.transaction('tx-1', soon());
  expect(client.budgetUsed()).toEqual({ minute: 100, hour: 100 });
  const outcome = await client.transaction('tx-1', soon(59_000));
  expect(outcome).toMatchObject({ kind: 'rate-budget' });
  expect(service.asked).toHaveLength(100);
});

test('every attempt is told, with what came of it', async () => {
  service.answerInTurn(errorReply(500, 'GE-1'), errorReply(404, 'NE-1'));
  await client.transaction('tx-1', soon());
  expect(attempts.map(({ result, status }) => [result, status])).toEqual([
    ['unavailable', 500],
    ['not-found', 404],
  ]);
});

test('a closed client answers values too', async () => {
  await client.close();
  expect((await client.transaction('tx-1', soon())).kind).toBe('unavailable');
});
