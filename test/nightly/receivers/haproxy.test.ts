import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { postgresPrograms } from '../../../src/commands/demo/postgres/installation.ts';
import { makeAuthority, type Authority } from '../../tls/authority.ts';
import { isInstalled, startProxy, type Proxy } from '../../e2e/proxies/proxy.ts';
import { delivery, send } from '../../e2e/proxies/raw-sender.ts';
import { freePort } from '../../e2e/program.ts';
import {
  newJournalUrl,
  receiverOf,
  until,
  webhook,
  type RealReceiver,
} from '../../e2e/receivers/receivers.ts';
import { statusOf } from '../../e2e/receivers/sender.ts';

const canRun = postgresPrograms(process.env) !== undefined && isInstalled('haproxy');
if (!canRun) console.warn('skipped: `apt-get install postgresql haproxy` brings it');

const TOKEN = 'f'.repeat(48);

describe.runIf(canRun)('the example of HAProxy in front of two receivers', () => {
  let cluster: PostgresCluster;
  let authority: Authority;
  beforeAll(async () => {
    authority = makeAuthority();
    cluster = await startPostgres({ standby: false });
  });
  afterAll(async () => {
    await cluster?.stop();
    authority.remove();
  });

  async function started(store: string, name: string): Promise<RealReceiver> {
    const receiver = await receiverOf(store, name, {}, { pathToken: TOKEN });
    await receiver.start();
    return receiver;
  }

  /** The proxy, and the port of the exchange's consumers. */
  async function inFront(
    receivers: readonly RealReceiver[],
  ): Promise<{ readonly proxy: Proxy; readonly consumers: number }> {
    const consumers = await freePort();
    const portOf = (index: number): string => new URL(receivers[index]?.daemon.url ?? '').port;
    const proxy = await startProxy('haproxy', {
      authority,
      examples: 'config/receivers',
      changes: [
        [/10\.0\.0\.21:8080/g, `127.0.0.1:${portOf(0)}`],
        [/10\.0\.0\.22:8080/g, `127.0.0.1:${portOf(1)}`],
        [/bind :8443/g, `bind 127.0.0.1:${consumers}`],
      ],
    });
    onTestFinished(proxy.end);
    return { proxy, consumers };
  }

  /** An owner and its follower behind the proxy. */
  async function startedBehind() {
    const store = await newJournalUrl(cluster);
    const owner = await started(store, 'a');
    await owner.becomes('owner');
    const follower = await started(store, 'b');
    await follower.becomes('follower');
    return { owner, follower, ...(await inFront([owner, follower])) };
  }

  test('each takes deliveries; when the owner dies, the other takes all of them', async () => {
    const { owner, follower, proxy } = await startedBehind();
    const deliver = async (number: number): Promise<number | null> => {
      const text = delivery(`/hooks/${TOKEN}`, [], webhook(number));
      return (await send(proxy.port, { text, pair: authority.pairOf('valid') })).status;
    };
    const acknowledged: number[] = [];
    const deliverUntil = async (isEnough: () => boolean): Promise<void> => {
      for (let number = acknowledged.length; !isEnough(); number += 1) {
        while ((await deliver(number)) !== 200);
        acknowledged.push(number);
      }
    };
    await deliverUntil(() => acknowledged.length >= 20);
    await until('both have taken some', () =>
      ['a', 'b'].every((name) => new RegExp(` ${name} 200 `).test(proxy.logs())),
    );
    await owner.daemon.end('SIGKILL');
    owner.relay.cut();
    await deliverUntil(() => acknowledged.length >= 40);
    for (const number of acknowledged) {
      expect(await statusOf(follower, number)).toBe('duplicate');
    }
  });

  test('the exchange reads the API and the console at any ready receiver, and nothing else', async () => {
    const { owner, proxy, consumers } = await startedBehind();
    const issued = await owner.daemon.post<{ token: string }>('/v1/tokens', {
      name: 'consumer',
      role: 'crediting',
      reason: 'it reads the feed',
    });
    const get = (path: string, ...headers: readonly string[]) => {
      const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
      return send(consumers, { text: [...lines, '', ''].join('\r\n') });
    };
    const feed = async (): Promise<number | null> =>
      (await get('/v1/credits', `Authorization: Bearer ${issued.token}`)).status;
    await until('both have answered a consumer', async () => {
      await feed();
      return ['a', 'b'].every((name) => new RegExp(`/v1/credits ${name} 200 `).test(proxy.logs()));
    });
    const page = await get('/console');
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringMatching(
        /^set-cookie: receiver=[ab]; path=\/; HttpOnly; Secure; SameSite=Lax/im,
      ),
    ]);
    for (const path of [`/hooks/${TOKEN}`, '/receivers/facts', '/metrics', '/readyz', '/']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    await owner.daemon.end('SIGKILL');
    await until('the proxy has noticed', async () => (await feed()) === 200);
    for (let again = 0; again < 10; again += 1) expect(await feed()).toBe(200);
  });
});
