import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { errorReply } from './scripted-service.ts';
import { PEM, startClient, TRANSACTION } from './client-under-test.ts';

const page = (data: readonly unknown[], total = data.length): unknown => ({
  data,
  pagination: { page: 0, pageSize: 100, total },
});

test('a look-up carries a signed bearer token and gives the transaction', async () => {
  const { service, clock, client, soon } = await startClient();
  service.answer(() => ({ json: TRANSACTION }));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({ kind: 'ok', value: TRANSACTION });
  const [asked] = service.asked;
  expect(asked).toMatchObject({ method: 'GET', path: '/api/v1/transactions/tx-1', body: '' });
  const token = (asked?.headers.authorization ?? '').replace(/^Bearer /, '');
  const verified = await jwtVerify(token, createPublicKey(PEM), {
    currentDate: new Date(clock.now()),
  });
  expect(verified.payload.iss).toBe('client-7');
});

test('a base address may bring its own path, with or without the version prefix', async () => {
  const { service, clientOf, soon } = await startClient();
  service.answer(() => ({ json: TRANSACTION }));
  for (const path of ['', '/', '/api/v1', '/api/v1/', '/custody/']) {
    const other = clientOf({ baseUrl: service.baseUrl + path });
    await other.transaction('tx-1', soon());
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
  const { service, client, soon } = await startClient();
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

test('a field that nobody reads may have any shape', async () => {
  const { service, client, soon } = await startClient();
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

test('an unreadable row is reported beside the readable rows', async () => {
  const { service, client, soon } = await startClient();
  const odd = { ...TRANSACTION, transactionId: 'tx-2', type: 'sideways' };
  service.answer(() => ({ json: page([TRANSACTION, odd]) }));
  const outcome = await client.transactions({ page: 0, pageSize: 100 }, soon());
  expect(outcome).toMatchObject({
    kind: 'ok',
    value: { rows: [{ transactionId: 'tx-1' }], unreadable: [{ id: 'tx-2' }], total: 2 },
  });
});

test('an unreadable row of an own transaction says whose its hash is, and no more', async () => {
  const { service, client, soon } = await startClient();
  const own = {
    transactionId: 'tx-2',
    vaultId: 'v1',
    type: 'outgoing',
    network: 'ethereum',
    blockchainHash: '0xa1',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const odd = { ...own, status: 'mined', balanceChanges: 'none' };
  const others = [{ blockchainHash: null }, { blockchainHash: '' }, { type: 'incoming' }];
  service.answer(() => ({ json: page([odd, ...others.map((other) => ({ ...odd, ...other }))]) }));
  const outcome = await client.transactions({ page: 0, pageSize: 100 }, soon());
  if (outcome.kind !== 'ok') throw new Error(outcome.kind);
  expect(outcome.value.rows).toEqual([]);
  expect(outcome.value.unreadable.map(({ part }) => part)).toEqual([
    { ...own, status: 'unreadable' },
    undefined,
    undefined,
    undefined,
  ]);
});

test('an amount that is a JSON number makes its row unreadable', async () => {
  const { service, client, soon } = await startClient();
  const lossy = { ...TRANSACTION, balanceChanges: [{ asset: 'ethereum:ETH', amount: 12 }] };
  service.answer(() => ({ json: page([lossy]) }));
  const outcome = await client.transactions({ page: 0, pageSize: 100 }, soon());
  expect(outcome).toMatchObject({
    kind: 'ok',
    value: { rows: [], unreadable: [{ id: 'tx-1' }] },
  });
});

test('the path of the per-address list is configurable, and ids stay one segment of it', async () => {
  const { service, client, clientOf, soon } = await startClient();
  service.answer(() => ({ json: page([]) }));
  await client.addressTransactions({ page: 0, pageSize: 1, addressId: 'a/../b?c' }, soon());
  const other = clientOf({ addressTransactions: '/chain/{addressId}/list' });
  await other.addressTransactions({ page: 0, pageSize: 1, addressId: 'a1' }, soon());
  expect(service.asked.map(({ path }) => path)).toEqual([
    '/api/v1/addresses/a%2F..%2Fb%3Fc/blockchain-transactions',
    '/api/v1/chain/a1/list',
  ]);
});

test.each(['', '.', '..', '\ud800'])('an id of %j is never sent', async (id) => {
  const { service, client, soon } = await startClient();
  const outcome = await client.transaction(id, soon());
  expect(outcome).toMatchObject({ kind: 'malformed' });
  expect(service.asked).toEqual([]);
});

test('networks are read from an array and from an envelope, but not from half a list', async () => {
  const { service, client, soon } = await startClient();
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
  const { service, client, soon } = await startClient();
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
  const { service, client, soon } = await startClient();
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

test('a stream that this version does not know makes no subscription unreadable', async () => {
  const { service, client, soon } = await startClient();
  const webhookUrl = 'https://x.example/hooks/t';
  const rows = ['incoming', 'staking', 'outgoing'].map((stream) => ({
    vaultId: 'v-1',
    stream,
    webhookUrl,
  }));
  service.answerInTurn({ json: { data: rows } }, { json: { data: rows } });
  const read = await client.subscriptions.of('v-1', soon());
  expect(read).toEqual({ kind: 'ok', value: rows });
  const made = await client.subscriptions.replace(
    { vaultId: 'v-1', webhookUrl, streams: ['incoming', 'outgoing'] },
    soon(),
  );
  expect(made).toEqual({ kind: 'ok', value: rows });
});

test("a 404 with the service's own code is not-found", async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => errorReply(404, 'NE-1'));
  expect(await client.transaction('tx-1', soon())).toEqual({ kind: 'not-found' });
  expect(service.asked).toHaveLength(1);
});

test.each([
  ['a page of a proxy', { status: 404, text: '<html>no such page</html>' }],
  ['another JSON', { status: 404, json: { message: 'no route' } }],
  ['another code', errorReply(404, 'BR-1')],
])('a 404 with %s is never not-found', async (_name, reply) => {
  const { service, client, soon } = await startClient();
  service.answer(() => reply);
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome.kind).not.toBe('not-found');
  expect(outcome.kind).not.toBe('ok');
});

test.each(['AU-1', 'AU-2'])(
  'a 4xx is refused with the error of the service, listed or not, and not tried again: %s',
  async (errorCode) => {
    const { service, client, soon } = await startClient();
    service.answer(() => errorReply(403, errorCode));
    const outcome = await client.transaction('tx-1', soon());
    expect(outcome).toMatchObject({ kind: 'refused', error: { statusCode: 403, errorCode } });
    expect(service.asked).toHaveLength(1);
  },
);

test('a truncated JSON answer is malformed, and its values are not shown', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ text: '{"secret":"s3cr3t"' }));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome).toEqual({ kind: 'malformed', detail: 'the body of 18 bytes is not JSON' });
});

test('a complete answer of another shape is malformed at once, and its path is named', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ json: { ...TRANSACTION, vaultId: 7 } }));
  const outcome = await client.transaction('tx-1', soon());
  expect(outcome.kind === 'malformed' ? outcome.detail : outcome.kind).toMatch(/^vaultId: /);
  expect(service.asked).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ status: 302, headers: { location: '/elsewhere' }, text: '' }));
  expect((await client.transaction('tx-1', soon())).kind).toBe('malformed');
  expect(service.asked).toHaveLength(1);
});

test('a body beyond the bound is malformed and not read to its end', async () => {
  const { service, client, soon } = await startClient();
  service.answer(() => ({ text: ' '.repeat(33 * 1024 * 1024) }));
  expect(await client.transaction('tx-1', soon())).toEqual({
    kind: 'malformed',
    detail: 'the body is longer than the bound',
  });
});

test('a closed client answers values too', async () => {
  const { client, soon } = await startClient();
  await client.close();
  expect((await client.transaction('tx-1', soon())).kind).toBe('unavailable');
});
