import { expect, test } from 'vitest';
import { z } from 'zod';
import { covers } from '../coverage.ts';
import type { Reply } from '../../../loopback-receiver.ts';
import type { Hit } from '../../webhook-receiver.ts';
import { ALL_STREAMS, setStage } from '../stage.ts';
import type { Address, Vault } from '../stage.ts';

const stage = setStage('delivery');

const SECOND_MS = 1000;
const PLAIN_HEADERS = ['connection', 'content-length', 'content-type', 'host', 'user-agent'];

const attempt = z.looseObject({
  notificationId: z.string(),
  url: z.string(),
  startedAt: z.number(),
  statusCode: z.number().nullable(),
  delivered: z.boolean(),
});

async function attemptsOf(vault: Vault): Promise<z.infer<typeof attempt>[]> {
  const { data } = await stage.sim('GET', `/sim/deliveries?vaultId=${vault.vaultId}`);
  return z.array(attempt).parse(data);
}

async function scene(): Promise<{ vault: Vault; address: Address }> {
  const vault = await stage.vault();
  return { vault, address: await stage.address(vault, 'ripple') };
}

/** One deposit is three notifications: blockchain transaction, incoming and blockchain depth 1. */
async function threeNotifications(address: Address): Promise<void> {
  await stage.deposit(address, 'XRP', '5');
  await stage.mine('ripple');
  await stage.advance(0);
}

const hitLine = ({ body }: Hit): string => `${body.stream} ${body.type}`;
const THREE = ['blockchain transaction', 'incoming confirmation', 'blockchain confirmation'];

/** Returns the replies in order, then always 200. */
function replies(...turns: Reply[]): () => Reply {
  return () => turns.shift() ?? 200;
}

test(
  'the envelope: a unique id, the delivery time, the stream and its type',
  covers(
    'delivery/envelope/id',
    'delivery/envelope/timestamp',
    'delivery/envelope/stream',
    'delivery/envelope/type',
    'delivery/envelope/others',
    'delivery/rule-1',
  ),
  async () => {
    const { address } = await scene();
    const first = await stage.now();
    stage.receiver.reply = replies(500, 500);
    await threeNotifications(address);
    await stage.advance(30 * SECOND_MS);
    const { hits } = stage.receiver;
    expect(hits.map(hitLine)).toEqual([THREE[0], THREE[0], ...THREE]);
    // Delivered three times: the same id, the same content, each with its own time.
    const [again, later, last] = hits.slice(0, 3).map(({ body }) => body);
    expect([again?.id, later?.id]).toEqual([last?.id, last?.id]);
    expect({ ...again, timestamp: 0 }).toEqual({ ...last, timestamp: 0 });
    expect([again?.timestamp, later?.timestamp, last?.timestamp]).toEqual([
      first,
      first + 10 * SECOND_MS,
      first + 30 * SECOND_MS,
    ]);
    expect(new Set(hits.map(({ body }) => body.id)).size).toBe(3);
    for (const { body } of hits) expect(ALL_STREAMS).toContain(body.stream);
  },
);

test('a delivery whose answer is lost is repeated with the same id', async () => {
  const { address } = await scene();
  await stage.faults({ delivery: [{ fault: 'drop-response', count: 1 }] });
  await threeNotifications(address);
  await stage.advance(10 * SECOND_MS);
  expect(stage.receiver.hits.map(hitLine)).toEqual([THREE[0], ...THREE]);
  const [first, second] = stage.receiver.hits;
  expect(first?.body.id).toBe(second?.body.id);
});

test(
  'one vault: sequentially, in order, and nothing overtakes a failed one',
  covers('delivery/rule-2/sequential'),
  async () => {
    const { address } = await scene();
    const { hits } = stage.receiver;
    stage.receiver.reply = ({ body }) =>
      body.stream === 'incoming' && hits.length < 6 ? 503 : 200;
    await threeNotifications(address);
    await stage.advance(100 * SECOND_MS);
    const [first, second = '', third] = THREE;
    expect(hits.map(hitLine)).toEqual([first, second, second, second, second, second, third]);
  },
);

test(
  'while one vault’s attempt is unanswered none of its others is made, but other vaults’ are',
  covers('delivery/rule-2/sequential', 'delivery/rule-2/across-vaults'),
  async () => {
    const [slow, quick] = [await scene(), await scene()];
    const of = ({ vault }: { vault: Vault }) =>
      stage.receiver.hits.filter(({ body }) => body.vaultId === vault.vaultId).map(hitLine);
    let release = (): void => undefined;
    const released = new Promise<Reply>((resolve) => {
      release = () => resolve(200);
    });
    stage.receiver.reply = ({ body }) => (body.vaultId === slow.vault.vaultId ? released : 200);
    await stage.deposit(slow.address, 'XRP', '5');
    await stage.deposit(quick.address, 'XRP', '5');
    await stage.mine('ripple');
    await stage.receiver.until(() => of(quick).length === THREE.length);
    expect(of(slow)).toEqual([THREE[0]]);
    release();
    await stage.receiver.until(() => of(slow).length === THREE.length);
    expect([of(slow), of(quick)]).toEqual([THREE, THREE]);
  },
);

test(
  'a dead vault does not delay the others',
  covers('delivery/rule-2/across-vaults'),
  async () => {
    const [dead, living] = [await scene(), await scene()];
    stage.receiver.reply = ({ path }) => (path === `/${dead.vault.vaultId}` ? 500 : 200);
    await stage.deposit(dead.address, 'XRP', '5');
    await stage.deposit(living.address, 'XRP', '5');
    await stage.mine('ripple');
    await stage.advance(0);
    const of = ({ vault }: { vault: Vault }) =>
      stage.receiver.hits.filter(({ body }) => body.vaultId === vault.vaultId).map(hitLine);
    expect(of(living)).toEqual(THREE);
    expect(of(dead)).toEqual([THREE[0]]);
  },
);

test('any 2xx is success', covers('delivery/rule-3/success'), async () => {
  for (const status of [200, 201, 202, 204, 299]) {
    await stage.reset();
    const { vault, address } = await scene();
    stage.receiver.reply = () => status;
    await threeNotifications(address);
    await stage.advance(100 * SECOND_MS);
    expect(stage.receiver.hits.map(hitLine)).toEqual(THREE);
    expect((await attemptsOf(vault)).map(({ delivered }) => delivered)).toEqual([true, true, true]);
  }
});

test(
  'anything else and any transport error is a failure, and is retried',
  covers('delivery/rule-3/failure'),
  async () => {
    const failures: Reply[] = [300, 301, 302, 304, 400, 401, 404, 410, 429, 500, 503, 'reset'];
    for (const failure of failures) {
      await stage.reset();
      const { vault, address } = await scene();
      stage.receiver.reply = replies(failure);
      await threeNotifications(address);
      expect(stage.receiver.hits.map(hitLine)).toEqual([THREE[0]]);
      await stage.advance(10 * SECOND_MS);
      expect(stage.receiver.hits.map(hitLine)).toEqual([THREE[0], ...THREE]);
      const [first] = await attemptsOf(vault);
      const statusCode = typeof failure === 'number' ? failure : null;
      expect(first).toMatchObject({ delivered: false, statusCode });
    }
  },
);

test('a refused connection and a name that does not resolve are failures too', async () => {
  for (const webhookUrl of ['http://127.0.0.1:9/dead', 'http://nowhere.invalid/hook']) {
    await stage.reset();
    const { vault, address } = await scene();
    await stage.api('POST', `/subscriptions/${vault.vaultId}`, {
      webhookUrl,
      streams: ALL_STREAMS,
    });
    await threeNotifications(address);
    expect(await attemptsOf(vault)).toMatchObject([{ delivered: false, statusCode: null }]);
    await stage.subscribe(vault.vaultId);
    await stage.advance(10 * SECOND_MS);
    expect(stage.receiver.hits.map(hitLine)).toEqual(THREE);
  }
});

test(
  'an attempt without an answer for ten seconds is a failure',
  covers('delivery/rule-4'),
  async () => {
    const { vault, address } = await scene();
    stage.receiver.reply = replies('hang');
    await stage.deposit(address, 'XRP', '5');
    const begun = await stage.now();
    await stage.mine('ripple');
    await stage.advance(10 * SECOND_MS - 1);
    expect(await attemptsOf(vault)).toEqual([]);
    await stage.advance(1);
    const [first] = await attemptsOf(vault);
    expect(first).toMatchObject({ delivered: false, statusCode: null, startedAt: begun });
    expect(first?.['finishedAt']).toBe(begun + 10 * SECOND_MS);
    await stage.advance(10 * SECOND_MS);
    expect(stage.receiver.hits.map(hitLine)).toEqual([THREE[0], ...THREE]);
  },
);

test(
  'the delay grows by the same step with each consecutive failure; a success resets it',
  covers('delivery/rule-5/backoff', 'delivery/rule-5/backlog'),
  async () => {
    const { vault, address } = await scene();
    stage.receiver.reply = replies(500, 500, 500, 500, 200, 500);
    await threeNotifications(address);
    await stage.advance(3600 * SECOND_MS);
    const times = (await attemptsOf(vault)).map(({ startedAt }) => startedAt);
    const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / SECOND_MS);
    // Four failures, then the success, and at once the next notification. It fails once, and its
    // backoff starts again.
    expect(gaps).toEqual([10, 20, 30, 40, 0, 10, 0]);
    expect(stage.receiver.hits.map(hitLine).slice(-3)).toEqual([THREE[1], ...THREE.slice(1)]);
  },
);

test('days of an unreachable receiver leave a backlog that arrives in order', async () => {
  const { vault, address } = await scene();
  stage.receiver.reply = () => 503;
  for (let day = 0; day < 3; day += 1) {
    await threeNotifications(address);
    await stage.advance(86_400 * SECOND_MS);
  }
  const tried = new Set(stage.receiver.hits.map(({ body }) => body.id));
  expect(tried.size).toBe(1);
  stage.receiver.clear();
  await stage.advance(7 * 86_400 * SECOND_MS);
  expect(stage.receiver.hits.map(hitLine)).toEqual([...THREE, ...THREE, ...THREE]);
  expect((await attemptsOf(vault)).filter(({ delivered }) => delivered)).toHaveLength(9);
});

test(
  'after recovery the backlog goes to the current URL, but its backoff holds until pulled forward',
  covers('delivery/rule-5/current-url', 'delivery/rule-5/gate'),
  async () => {
    const { vault, address } = await scene();
    stage.receiver.reply = replies(500, 500, 500);
    await threeNotifications(address);
    await stage.advance(30 * SECOND_MS);
    expect(stage.receiver.hits).toHaveLength(3);
    const webhookUrl = `${stage.receiver.url}/new`;
    const path = `/subscriptions/${vault.vaultId}`;
    await stage.api('POST', path, { webhookUrl, streams: ALL_STREAMS });
    await stage.advance(29 * SECOND_MS);
    expect(stage.receiver.hits).toHaveLength(3);
    await stage.api('PATCH', `${path}/notifications/retry-schedule`);
    await stage.advance(0);
    const moved = stage.receiver.hits.slice(3);
    expect(moved.map((hit) => `${hit.path} ${hitLine(hit)}`)).toEqual(
      THREE.map((line) => `/new ${line}`),
    );
  },
);

test(
  'a delivery is a plain POST of JSON, without signature or credentials',
  covers('delivery/destination/plain-post', 'delivery/destination/unsigned'),
  async () => {
    const { vault, address } = await scene();
    const webhookUrl = `${stage.receiver.url}/hooks/token?a=b`;
    const path = `/subscriptions/${vault.vaultId}`;
    await stage.api('POST', path, { webhookUrl, streams: ALL_STREAMS });
    await threeNotifications(address);
    expect(stage.receiver.hits).toHaveLength(3);
    for (const { method, path: target, headers, text } of stage.receiver.hits) {
      expect([method, target]).toEqual(['POST', '/hooks/token?a=b']);
      expect(headers['content-type']).toBe('application/json');
      expect(Object.keys(headers).sort()).toEqual(PLAIN_HEADERS);
      expect(text).toBe(JSON.stringify(JSON.parse(text)));
    }
  },
);

test(
  'one URL serves any subset of the streams',
  covers('delivery/one-url-any-streams'),
  async () => {
    const subsets = [
      ['outgoing'],
      ['blockchain'],
      ['incoming'],
      ['outgoing', 'incoming'],
      ['outgoing', 'blockchain'],
      ['blockchain', 'incoming'],
      ALL_STREAMS,
    ];
    for (const streams of subsets) {
      await stage.reset();
      const { vault, address } = await scene();
      await stage.subscribe(vault.vaultId, streams);
      await stage.deposit(address, 'XRP', '50000000');
      await stage.mine('ripple');
      await stage.order(vault, { asset: 'ripple:XRP' });
      await stage.advance(0);
      const heard = new Set(stage.receiver.hits.map(({ body }) => body.stream));
      expect([...heard].sort()).toEqual(streams.toSorted());
    }
  },
);
