import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pageOf } from '../page-of.ts';
import { notificationRecord, subscriptionList } from '../../../src/wire/subscription.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { startReceiver } from '../delivery/webhook-receiver.ts';
import type { WebhookReceiver } from '../delivery/webhook-receiver.ts';

let caller: Caller;
let receiver: WebhookReceiver;
let vaultId: string;

beforeAll(async () => {
  caller = await startCaller();
  receiver = await startReceiver();
});
afterAll(async () => {
  await caller.stop();
  await receiver.close();
});
beforeEach(async () => {
  vaultId = await caller.vault();
});
afterEach(async () => {
  receiver.reply = () => 200;
  receiver.received.length = 0;
  await caller.advance(60_000);
});

function subscribe(streams: readonly string[] = ['incoming']) {
  const body = { webhookUrl: `${receiver.url}/${vaultId}`, streams };
  return caller.api('POST', `/subscriptions/${vaultId}`, body);
}

async function deposit(): Promise<string> {
  const accountId = await caller.account(vaultId);
  const { addressId } = await caller.address(accountId, 'ethereum');
  const { blockchainHash } = await caller.sim('POST', '/sim/deposits', {
    network: 'ethereum',
    addressId,
    asset: 'ethereum:ETH',
    amount: '1000',
  });
  const listed = await caller.api('GET', `/transactions?filter[vaultId]=${vaultId}`);
  expect(listed.body['data']).toMatchObject([{ blockchainHash, type: 'incoming' }]);
  return String((listed.body['data'] as { transactionId: string }[])[0]?.transactionId);
}

const code = (answer: { status: number; body: Record<string, unknown> }): unknown => [
  answer.status,
  answer.body['errorCode'],
];

describe('subscriptions', () => {
  test('are replaced as a whole, told one row per stream, and removed', async () => {
    const first = await subscribe(['incoming', 'outgoing', 'incoming']);
    expect(first.status).toBe(200);
    expect(subscriptionList.parse(first.body).data.map(({ stream }) => stream)).toEqual([
      'incoming',
      'outgoing',
    ]);
    await subscribe(['blockchain']);
    const read = await caller.api('GET', `/subscriptions/${vaultId}`);
    expect(subscriptionList.parse(read.body).data).toMatchObject([
      { vaultId, stream: 'blockchain', webhookUrl: `${receiver.url}/${vaultId}` },
    ]);
    expect((await caller.api('DELETE', `/subscriptions/${vaultId}`)).status).toBe(200);
    expect((await caller.api('GET', `/subscriptions/${vaultId}`)).body).toEqual({ data: [] });
  });

  test('refuse an unknown stream, none at all, and no URL with BR-2; an inner URL with BR-1', async () => {
    const post = (body: object) => caller.api('POST', `/subscriptions/${vaultId}`, body);
    const webhookUrl = 'https://hooks.example.com/x';
    expect(code(await post({ webhookUrl, streams: ['everything'] }))).toEqual([400, 'BR-2']);
    expect(code(await post({ webhookUrl, streams: [] }))).toEqual([400, 'BR-2']);
    expect(code(await post({ streams: ['incoming'] }))).toEqual([400, 'BR-2']);
    const inner = { webhookUrl: 'http://169.254.169.254/meta', streams: ['incoming'] };
    expect(code(await post(inner))).toEqual([400, 'BR-1']);
  });

  test('are 404 for an unknown vault', async () => {
    expect(code(await caller.api('GET', '/subscriptions/nope'))).toEqual([404, 'NE-1']);
  });
});

describe('permissions', () => {
  const WRITES = [
    ['POST', '', { webhookUrl: 'https://hooks.example.com/x', streams: ['incoming'] }],
    ['PUT', '/confirmations', { confirmations: {} }],
    ['PATCH', '/notifications/retry-schedule', undefined],
    ['DELETE', '', undefined],
  ] as const;
  const READS = ['', '/confirmations'];

  test.each([
    { permissions: [], read: 403, write: 403 },
    { permissions: ['Vault:read'], read: 200, write: 403 },
    { permissions: ['manageVaults'], read: 403, write: 403 },
    { permissions: ['manageNotifications'], read: 403, write: 403 },
    { permissions: ['manageVaults', 'manageNotifications'], read: 200, write: 200 },
    { permissions: ['manageVaults', 'manageNotifications:this'], read: 200, write: 200 },
    { permissions: ['manageVaults', 'manageNotifications:other'], read: 403, write: 403 },
    { permissions: ['Vault:read', 'manageNotifications:this'], read: 200, write: 403 },
  ])('$permissions read $read, write $write', async ({ permissions, read, write }) => {
    const own = permissions.map((name) => name.replace(':this', `:${vaultId}`));
    const { token } = await caller.client(own);
    for (const path of READS) {
      const answer = await caller.api('GET', `/subscriptions/${vaultId}${path}`, undefined, {
        token,
      });
      expect(answer.status).toBe(read);
    }
    for (const [method, path, body] of WRITES) {
      const answer = await caller.api(method, `/subscriptions/${vaultId}${path}`, body, { token });
      const refusal = write === 403 ? 'AU-1' : undefined;
      expect([method, answer.status, answer.body['errorCode']]).toEqual([method, write, refusal]);
    }
  });

  test('guard replay and the notification list by the vault of the notification', async () => {
    await subscribe();
    const transactionId = await deposit();
    await caller.advance(0);
    const notificationId = receiver.received[0]?.body.id ?? '';
    const list = `/subscriptions/notifications?transactionId=${transactionId}`;
    const replay = `/subscriptions/notifications/${notificationId}/replay`;
    const statuses = async (permissions: string[]): Promise<number[]> => {
      const { token } = await caller.client(permissions);
      const body = { url: `${receiver.url}/replayed` };
      return [
        (await caller.api('GET', list, undefined, { token })).status,
        (await caller.api('POST', replay, body, { token })).status,
      ];
    };
    expect(await statuses([])).toEqual([403, 403]);
    expect(await statuses(['Vault:read'])).toEqual([200, 403]);
    expect(await statuses(['manageVaults', `manageNotifications:${vaultId}`])).toEqual([200, 200]);
  });
});

describe('confirmation overrides', () => {
  const put = (confirmations: unknown) =>
    caller.api('PUT', `/subscriptions/${vaultId}/confirmations`, { confirmations });
  const get = async () => (await caller.api('GET', `/subscriptions/${vaultId}/confirmations`)).body;

  test('replace the whole map; empty means no override', async () => {
    expect(await get()).toEqual({ confirmations: {} });
    expect((await put({ ethereum: 3, bitcoin: 1 })).body).toEqual({
      confirmations: { ethereum: 3, bitcoin: 1 },
    });
    await put({ ethereum: 12 });
    expect(await get()).toEqual({ confirmations: { ethereum: 12 } });
    await put({});
    expect(await get()).toEqual({ confirmations: {} });
  });

  test('refuse an unpublished depth by the exact message, and an unknown network', async () => {
    const depth = await put({ ethereum: 2 });
    expect(depth.status).toBe(400);
    expect(depth.body['errorMessage']).toBe(
      'Confirmation number for network ethereum must be one of 1, 3, 12',
    );
    expect((await put({ dogecoin: 1 })).status).toBe(400);
    expect(code(await put({ ethereum: '3' }))).toEqual([400, 'BR-2']);
    expect(await get()).toEqual({ confirmations: {} });
  });

  test('suppress deeper confirmations', async () => {
    await subscribe();
    await put({ ethereum: 3 });
    await deposit();
    await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 12 });
    await caller.advance(0);
    const own = receiver.received.filter(({ path }) => path === `/${vaultId}`);
    expect(own.map(({ body }) => [body.type, body['confirmations']])).toEqual([
      ['mempool', 0],
      ['confirmation', 1],
      ['confirmation', 3],
    ]);
  });
});

describe('notifications', () => {
  test('wait, are listed as pending, go out when pulled forward, and can be replayed', async () => {
    await subscribe();
    receiver.reply = () => 500;
    const transactionId = await deposit();
    await caller.advance(0);
    const list = async () => {
      const path = `/subscriptions/notifications?transactionId=${transactionId}`;
      return pageOf(notificationRecord).parse((await caller.api('GET', path)).body).data;
    };
    const [pending] = await list();
    expect(pending).toMatchObject({ stream: 'incoming', type: 'mempool', status: 'pending' });
    const replay = (body: object) =>
      caller.api('POST', `/subscriptions/notifications/${pending?.id ?? ''}/replay`, body);
    const url = `${receiver.url}/replayed`;
    expect(code(await replay({ url }))).toEqual([400, 'BR-1']);

    receiver.reply = () => 200;
    const retry = `/subscriptions/${vaultId}/notifications/retry-schedule`;
    const pulled = await caller.api('PATCH', retry);
    expect(pulled.body).toEqual({ nextTryAt: new Date(caller.core.clock.now()).toISOString() });
    await caller.advance(0);
    expect((await caller.api('PATCH', retry)).body).toEqual({ nextTryAt: null });
    expect(await list()).toMatchObject([{ status: 'delivered' }]);

    const done = await replay({ url, deliveryId: 'mine' });
    expect(done.body).toEqual({ deliveryId: 'mine', statusCode: 200, delivered: true });
    expect(code(await replay({ url, deliveryId: 'mine' }))).toEqual([409, 'CFR-1']);
    expect((await replay({ url })).body['deliveryId']).toBeTypeOf('string');
    expect(code(await replay({ url: 'http://10.0.0.1/x' }))).toEqual([400, 'BR-1']);
    expect(code(await replay({}))).toEqual([400, 'BR-2']);
    expect(receiver.received.map(({ path }) => path)).toEqual([
      `/${vaultId}`,
      `/${vaultId}`,
      '/replayed',
      '/replayed',
    ]);
    const deliveries = await caller.sim('GET', `/sim/deliveries?vaultId=${vaultId}`);
    expect(deliveries['data']).toMatchObject([
      { kind: 'queue', statusCode: 500, delivered: false },
      { kind: 'queue', statusCode: 200, delivered: true, body: { id: pending?.id } },
      { kind: 'replay', deliveryId: 'mine' },
      { kind: 'replay' },
    ]);
  });

  test('of an unknown transaction are 404, and transactionId is demanded', async () => {
    const path = '/subscriptions/notifications';
    expect(code(await caller.api('GET', `${path}?transactionId=nope`))).toEqual([404, 'NE-1']);
    expect(code(await caller.api('GET', path))).toEqual([400, 'BR-1']);
  });
});
