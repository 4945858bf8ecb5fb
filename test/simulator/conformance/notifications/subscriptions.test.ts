import { expect, test } from 'vitest';
import { textOf } from '../../call.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { ANY_NUMBER, TEXT } from '../matchers.ts';
import { ALL_STREAMS, setStage } from '../stage.ts';
import type { Address, Client } from '../stage.ts';

const stage = setStage('subscriptions');

const SECOND_MS = 1000;

async function scene() {
  const vault = await stage.vault();
  return { vault, path: `/subscriptions/${vault.vaultId}`, client: await stage.client() };
}

async function depositOn(address: Address): Promise<void> {
  await stage.deposit(address, `${address.network}:${NATIVE[address.network] ?? ''}`, '5000');
}

const NATIVE: Record<string, string> = { ethereum: 'ETH', bitcoin: 'BTC', ripple: 'XRP' };

/** Depths of the incoming stream that arrived since the last call. */
async function depths(): Promise<unknown[]> {
  const received = await stage.notifications('incoming');
  return received
    .filter(({ type }) => type === 'confirmation')
    .map((each) => each['confirmations']);
}

test(
  'POST replaces the whole set; one stream is removed by posting the rest, all by DELETE',
  covers('subscriptions/behaviour-1'),
  async () => {
    const { vault, path, client } = await scene();
    const { vaultId } = vault;
    const address = await stage.address(vault, 'ripple');
    const first = `${stage.receiver.url}/first`;
    const post = (webhookUrl: string, streams: string[]) =>
      client.call('POST', path, { webhookUrl, streams });
    // A stream that is named twice is one subscription.
    const made = await post(first, [...ALL_STREAMS, 'incoming']);
    expect(made.status).toBe(200);
    const row = (stream: string, webhookUrl: string) => ({
      vaultId,
      stream,
      webhookUrl,
      createdAt: TEXT,
    });
    expect(made.rows).toEqual(ALL_STREAMS.map((stream) => row(stream, first)));
    expect((await client.call('GET', path)).rows).toEqual(made.rows);

    await post(first, ['incoming']);
    await depositOn(address);
    await stage.mine('ripple');
    expect(await stage.received()).toEqual(['incoming confirmation 1 [5000 XRP]']);

    const second = `${stage.receiver.url}/second`;
    await post(second, ['incoming']);
    expect((await client.call('GET', path)).rows).toEqual([row('incoming', second)]);
    await depositOn(address);
    await stage.mine('ripple');
    await stage.advance(0);
    expect(stage.receiver.hits.at(-1)?.path).toBe('/second');
    await stage.forget();

    await client.call('DELETE', path);
    expect((await client.call('GET', path)).rows).toEqual([]);
    await depositOn(address);
    await stage.mine('ripple');
    await post(first, ALL_STREAMS);
    expect(await stage.received()).toEqual([]);
  },
);

test('the backlog of a kept stream goes to the new URL; of a removed one, nowhere', async () => {
  const { vault, path, client } = await scene();
  const address = await stage.address(vault, 'ripple');
  stage.receiver.reply = () => 500;
  await depositOn(address);
  await stage.mine('ripple');
  await stage.forget();
  stage.receiver.clear();
  const webhookUrl = `${stage.receiver.url}/new`;
  await client.call('POST', path, { webhookUrl, streams: ['incoming'] });
  await stage.advance(10 * SECOND_MS);
  const arrived = stage.receiver.hits.map((hit) => `${hit.path} ${hit.body.stream}`);
  expect(arrived).toEqual(['/new incoming']);
});

test(
  'an override delivers every published depth up to its value and replaces the whole map',
  covers('subscriptions/behaviour-2'),
  async () => {
    const { vault, path, client } = await scene();
    const ethereum = await stage.address(vault, 'ethereum');
    const bitcoin = await stage.address(vault, 'bitcoin');
    const climb = async (): Promise<unknown[][]> => {
      const found: unknown[][] = [];
      for (const address of [ethereum, bitcoin]) {
        await depositOn(address);
        await stage.mine(address.network, 20);
        found.push(await depths());
      }
      return found;
    };
    const put = (confirmations: Record<string, number>) =>
      client.call('PUT', `${path}/confirmations`, { confirmations });
    const get = async () => (await client.call('GET', `${path}/confirmations`)).body;
    expect(await get()).toEqual({ confirmations: {} });
    expect(await climb()).toEqual([
      [1, 3, 12],
      [1, 3, 6],
    ]);
    expect((await put({ ethereum: 3 })).body).toEqual({ confirmations: { ethereum: 3 } });
    expect(await climb()).toEqual([
      [1, 3],
      [1, 3, 6],
    ]);
    expect((await put({ bitcoin: 1 })).status).toBe(200);
    expect(await get()).toEqual({ confirmations: { bitcoin: 1 } });
    expect(await climb()).toEqual([[1, 3, 12], [1]]);
    expect((await put({})).body).toEqual({ confirmations: {} });
    expect(await climb()).toEqual([
      [1, 3, 12],
      [1, 3, 6],
    ]);
  },
);

test(
  'retry-schedule pulls the next retry forward, and only forward',
  covers('subscriptions/behaviour-3'),
  async () => {
    const { vault, path, client } = await scene();
    const address = await stage.address(vault, 'ripple');
    const pull = async () => {
      const answer = await client.call('PATCH', `${path}/notifications/retry-schedule`);
      expect(answer.status).toBe(200);
      return answer.body['nextTryAt'];
    };
    expect(await pull()).toBe(null);
    stage.receiver.reply = () => 500;
    await depositOn(address);
    await stage.mine('ripple');
    await stage.advance(10 * SECOND_MS);
    await stage.advance(20 * SECOND_MS);
    expect(stage.receiver.hits).toHaveLength(3);
    await stage.advance(29_999);
    expect(stage.receiver.hits).toHaveLength(3);
    // One millisecond before the retry: now is no later than that.
    const pulled = Date.parse(String(await pull()));
    expect(pulled).toBe(await stage.now());
    await stage.advance(0);
    expect(stage.receiver.hits).toHaveLength(4);
    // The count of failures stays: the fourth in a row waits forty seconds.
    await stage.advance(39_999);
    expect(stage.receiver.hits).toHaveLength(4);
    await stage.advance(1);
    expect(stage.receiver.hits).toHaveLength(5);
    stage.receiver.clear();
    await pull();
    await stage.advance(0);
    expect(stage.receiver.hits).toHaveLength(3);
    expect(await pull()).toBe(null);
  },
);

test('a new URL alone does not reset the backoff', async () => {
  const { vault, path, client } = await scene();
  const address = await stage.address(vault, 'ripple');
  stage.receiver.reply = () => 500;
  await depositOn(address);
  await stage.mine('ripple');
  await stage.advance(30 * SECOND_MS);
  stage.receiver.clear();
  const webhookUrl = `${stage.receiver.url}/new`;
  await client.call('POST', path, { webhookUrl, streams: ALL_STREAMS });
  await stage.advance(29_999);
  expect(stage.receiver.hits).toEqual([]);
  await stage.advance(1);
  expect(stage.receiver.hits).toHaveLength(3);
});

async function delivered(): Promise<{ id: string; replay: string; client: Client }> {
  const { vault, client } = await scene();
  await depositOn(await stage.address(vault, 'ripple'));
  await stage.mine('ripple');
  const [first] = await stage.notifications('incoming');
  const id = first?.id ?? '';
  return { id, replay: `/subscriptions/notifications/${id}/replay`, client };
}

test(
  'a replay delivers again, to any given URL, beside the queue',
  covers('subscriptions/behaviour-4', 'subscriptions/condition-5'),
  async () => {
    const { id, replay, client } = await delivered();
    const original = stage.receiver.hits.find(({ body }) => body.id === id);
    const url = `${stage.receiver.url}/elsewhere`;
    const fresh = await client.call('POST', replay, { url });
    expect(fresh.body).toEqual({
      deliveryId: TEXT,
      statusCode: 200,
      delivered: true,
    });
    const again = stage.receiver.hits.at(-1);
    expect(again?.path).toBe('/elsewhere');
    expect({ ...again?.body, timestamp: 0 }).toEqual({ ...original?.body, timestamp: 0 });
    const other = await client.call('POST', replay, { url });
    expect(other.body['deliveryId']).not.toBe(fresh.body['deliveryId']);

    stage.receiver.reply = () => 503;
    const named = { url, deliveryId: 'mine' };
    const failed = await client.call('POST', replay, named);
    expect(failed.body).toEqual({ deliveryId: 'mine', statusCode: 503, delivered: false });
    stage.receiver.reply = () => 204;
    const retried = await client.call('POST', replay, named);
    expect(retried.body).toEqual({ deliveryId: 'mine', statusCode: 204, delivered: true });
    const count = stage.receiver.hits.length;
    const path = `POST /api/v1${replay}`;
    expect(refusalOf(await client.call('POST', replay, named))).toBe(`409 CFR-1 ${path}`);
    expect(stage.receiver.hits).toHaveLength(count);
  },
);

test(
  'a notification that is still pending cannot be replayed',
  covers('subscriptions/condition-4'),
  async () => {
    const { vault, client } = await scene();
    const address = await stage.address(vault, 'ripple');
    stage.receiver.reply = () => 500;
    await depositOn(address);
    await stage.mine('ripple');
    await stage.advance(0);
    const replay = `/subscriptions/notifications/${stage.receiver.hits[0]?.body.id ?? ''}/replay`;
    const answer = await client.call('POST', replay, { url: stage.receiver.url });
    expect(refusalOf(answer)).toBe(`400 BR-1 POST /api/v1${replay}`);
    expect(answer.body['errorMessage']).toMatch(/pending/);
  },
);

test(
  'the list merges pending and delivered of a transaction, each once, and no others',
  covers('subscriptions/behaviour-5'),
  async () => {
    const { vault, client } = await scene();
    const address = await stage.address(vault, 'ethereum');
    await stage.fund(address, 'ETH', '1000000000000000000');
    const order = await stage.order(vault, { asset: 'ethereum:ETH' });
    await stage.order(vault, { asset: 'ethereum:ETH' });
    await stage.advance(0);
    stage.receiver.reply = () => 500;
    await stage.mine('ethereum');
    await stage.advance(0);
    const transactionId = textOf(order, 'transactionId');
    const path = `/subscriptions/notifications?transactionId=${transactionId}`;
    const list = async () =>
      (await client.call('GET', path)).rows.map(({ stream, type, status }) =>
        [stream, type, status].join(' '),
      );
    const sent = [
      'outgoing pending',
      'outgoing requested',
      'outgoing inited',
      'outgoing signed',
      'outgoing submitted',
      'blockchain mempool',
    ];
    const mined = ['outgoing mined', 'blockchain transaction', 'blockchain confirmation'];
    expect(await list()).toEqual([
      ...sent.map((line) => `${line} delivered`),
      ...mined.map((line) => `${line} pending`),
    ]);
    stage.receiver.clear();
    await stage.advance(60 * SECOND_MS);
    expect(await list()).toEqual([...sent, ...mined].map((line) => `${line} delivered`));
    const rows = (await client.call('GET', path)).rows;
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows[0]).toMatchObject({
      id: TEXT,
      timestamp: ANY_NUMBER,
      status: 'delivered',
    });
  },
);

test(
  'a client without the permission is refused on every subscription call',
  covers('subscriptions/behaviour-6', 'subscriptions/condition-1'),
  async () => {
    const { id, replay } = await delivered();
    const body = stage.receiver.hits.find((hit) => hit.body.id === id)?.body;
    const path = `/subscriptions/${body?.vaultId ?? ''}`;
    const nobody = await stage.client([]);
    const webhookUrl = stage.receiver.url;
    const list = `/subscriptions/notifications?transactionId=${String(body?.transactionId)}`;
    for (const [method, target, given] of [
      ['POST', path, { webhookUrl, streams: ALL_STREAMS }],
      ['GET', path, undefined],
      ['DELETE', path, undefined],
      ['PUT', `${path}/confirmations`, { confirmations: {} }],
      ['GET', `${path}/confirmations`, undefined],
      ['PATCH', `${path}/notifications/retry-schedule`, undefined],
      ['POST', replay, { url: webhookUrl }],
      ['GET', list, undefined],
    ] as const) {
      const answer = await nobody.call(method, target, given);
      expect(refusalOf(answer)).toBe(`403 AU-1 ${method} /api/v1${target.split('?')[0] ?? ''}`);
    }
  },
);

test(
  'an unpublished depth is refused with the list of the published ones, and changes nothing',
  covers('subscriptions/condition-2'),
  async () => {
    const { path, client } = await scene();
    await client.call('PUT', `${path}/confirmations`, { confirmations: { ethereum: 12 } });
    for (const depth of [0, 2, 13, 1_000_000]) {
      const answer = await client.call('PUT', `${path}/confirmations`, {
        confirmations: { bitcoin: 6, ethereum: depth },
      });
      expect(refusalOf(answer)).toBe(`400 BR-1 PUT /api/v1${path}/confirmations`);
      expect(answer.body['errorMessage']).toBe(
        'Confirmation number for network ethereum must be one of 1, 3, 12',
      );
    }
    const kept = await client.call('GET', `${path}/confirmations`);
    expect(kept.body).toEqual({ confirmations: { ethereum: 12 } });
  },
);

test(
  'an unknown network key is refused, and changes nothing',
  covers('subscriptions/condition-3'),
  async () => {
    const { path, client } = await scene();
    for (const network of ['dogecoin', 'Ethereum', 'constructor', '', '__proto__']) {
      const confirmations = JSON.parse(`{"bitcoin":6,"${network}":1}`) as Record<string, number>;
      const answer = await client.call('PUT', `${path}/confirmations`, { confirmations });
      const code = network === '__proto__' ? 'BR-1' : 'BR-1001';
      expect(refusalOf(answer)).toBe(`400 ${code} PUT /api/v1${path}/confirmations`);
    }
    const kept = await client.call('GET', `${path}/confirmations`);
    expect(kept.body).toEqual({ confirmations: {} });
  },
);
