import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { postgresPrograms } from '../../../src/commands/demo/postgres/installation.ts';
import { makeAuthority, type Authority } from '../../tls/authority.ts';
import { isInstalled, startProxy, type Proxy } from '../proxies/proxy.ts';
import { delivery, send } from '../proxies/sending.ts';
import { newJournalUrl, receiverOf, until, webhook, type RealReceiver } from './receivers.ts';
import { statusOf } from './sender.ts';

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

  async function inFront(receivers: readonly RealReceiver[]): Promise<Proxy> {
    const portOf = (index: number): string => new URL(receivers[index]?.daemon.url ?? '').port;
    const proxy = await startProxy('haproxy', {
      authority,
      examples: 'config/receivers',
      changes: [
        [/10\.0\.0\.21:8080/g, `127.0.0.1:${portOf(0)}`],
        [/10\.0\.0\.22:8080/g, `127.0.0.1:${portOf(1)}`],
      ],
    });
    onTestFinished(proxy.end);
    return proxy;
  }

  test('each takes deliveries; when the owner dies, the other takes all of them', async () => {
    const store = await newJournalUrl(cluster);
    const receivers = [await started(store, 'a'), await started(store, 'b')];
    const [owner, follower] = receivers;
    if (owner === undefined || follower === undefined) throw new Error('two receivers');
    await owner.becomes('owner');
    await follower.becomes('follower');
    const proxy = await inFront(receivers);
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
});
