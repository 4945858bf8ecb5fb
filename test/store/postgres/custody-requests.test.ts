import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CustodyClient } from '../../../src/custody/client.ts';
import { systemClock } from '../../../src/custody/clock.ts';
import type { JournalAddress } from '../../../src/store/postgres/address.ts';
import {
  CustodyRequests,
  type CustodyRequestsSettings,
} from '../../../src/store/postgres/custody-requests.ts';
import { PEM } from '../../custody/client-under-test.ts';
import { ScriptedService, type Reply } from '../../custody/scripted-service.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { newJournal } from './receiver.ts';

/** Windows longer than a busy machine takes for a test. */
const LONG = {
  minute: { requests: 100, seconds: 3_000 },
  hour: { requests: 1_000, seconds: 3_600 },
};

function countOf(
  address: JournalAddress,
  settings: Partial<CustodyRequestsSettings> = {},
): CustodyRequests {
  const count = new CustodyRequests({
    address,
    clientId: 'client-7',
    limits: LONG,
    underWaySecondsMax: 20,
    standby: 'optional',
    ...settings,
  });
  onTestFinished(() => count.close());
  return count;
}

/** Asks until there is no room; answers the numbers of its requests. */
async function greedy(count: CustodyRequests): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const started = await count.start('deposits');
    if (started.kind === 'failed') throw new Error(started.detail);
    if (started.value === null) return ids;
    ids.push(started.value);
  }
}

async function serviceOf(reply: (asked: number) => Reply): Promise<ScriptedService> {
  const service = await ScriptedService.start();
  onTestFinished(() => service.stop());
  service.answer(() => reply(service.asked.length));
  return service;
}

/** A custody client of one process. */
function clientOf(service: ScriptedService, count: CustodyRequests): CustodyClient {
  const client = new CustodyClient({
    baseUrl: service.baseUrl,
    clientId: 'client-7',
    privateKey: createPrivateKey(PEM),
    clock: systemClock,
    random: Math.random,
    count,
  });
  onTestFinished(() => client.close());
  return client;
}

const VAULTS: Reply = { json: { data: [], pagination: { page: 0, pageSize: 1, total: 0 } } };

function vaults(client: CustodyClient): ReturnType<CustodyClient['vaults']> {
  const page = { page: 0, pageSize: 1 };
  return client.vaults(page, { priority: 'deposits', deadlineMs: Date.now() + 30_000 });
}

describe.runIf(isInstalled)('requests to the custody API, counted in the database', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('five that ask as fast as they can are given 100 together', async () => {
    const address = await newJournal(cluster);
    const given = await Promise.all([1, 2, 3, 4, 5].map(() => greedy(countOf(address))));
    const ids = given.flat();
    expect(ids).toHaveLength(100);
    expect(new Set(ids).size).toBe(100);
    expect(await greedy(countOf(address, { clientId: 'another client' }))).toHaveLength(100);
  });

  test('the limit of the hour holds beside that of the minute', async () => {
    const address = await newJournal(cluster);
    const limits = { minute: { requests: 100, seconds: 0 }, hour: { requests: 7, seconds: 3_600 } };
    expect(await greedy(countOf(address, { limits }))).toHaveLength(7);
  });

  test('a request counts from its end; one whose process died, from when it must have ended', async () => {
    const address = await newJournal(cluster);
    const count = countOf(address, {
      limits: { ...LONG, minute: { requests: 2, seconds: 60 } },
    });
    const [ended, lost] = await greedy(count);
    count.finish(ended ?? 0);
    const moved = async (id: number | undefined, ago: string): Promise<void> => {
      await cluster.sql(`UPDATE ${address.schema}.custody_requests
        SET started_at = started_at - interval '${ago}', finished_at = finished_at - interval '${ago}'
        WHERE id = ${id}`);
    };
    expect(await greedy(count)).toEqual([]);
    await moved(ended, '61 seconds');
    expect(await greedy(count)).toHaveLength(1);
    await moved(lost, '70 seconds');
    expect(await greedy(count)).toEqual([]);
    await moved(lost, '11 seconds');
    expect(await greedy(count)).toHaveLength(1);
  });

  test('after the clock of the database was set back, requests count for one window and no longer', async () => {
    const address = await newJournal(cluster);
    const count = countOf(address, { limits: { ...LONG, minute: { requests: 2, seconds: 1 } } });
    const [ended] = await greedy(count);
    count.finish(ended ?? 0);
    // What a clock wrote that was ten days ahead of the one of now; one request is without an end.
    await cluster.sql(`UPDATE ${address.schema}.custody_requests
      SET started_at = started_at + interval '10 days', finished_at = finished_at + interval '10 days'`);
    expect(await greedy(count)).toEqual([]);
    const left = async (): Promise<number> => (await greedy(count)).length;
    await expect.poll(left, { timeout: 10_000 }).toBe(1);
  });

  test('requests of an earlier hour are forgotten', async () => {
    const address = await newJournal(cluster);
    const count = countOf(address);
    await count.start('sweep');
    await cluster.sql(`UPDATE ${address.schema}.custody_requests
      SET started_at = started_at - interval '2 hours'`);
    await count.start('sweep');
    expect(await count.recent()).toMatchObject({ kind: 'done', value: [{ lane: 'sweep' }] });
  });

  test('after 90 requests of an owner that died, the next one makes 10', async () => {
    const address = await newJournal(cluster);
    // The owner dies while the service has not answered its last request.
    const service = await serviceOf((asked) => (asked === 90 ? { fault: 'hang' } : VAULTS));
    const former = clientOf(service, countOf(address));
    for (let asked = 1; asked < 90; asked += 1) {
      expect((await vaults(former)).kind).toBe('ok');
    }
    const last = vaults(former);
    await expect.poll(() => service.asked.length, { timeout: 60_000 }).toBe(90);

    const next = clientOf(service, countOf(address));
    const results: string[] = [];
    for (let asked = 0; asked < 12; asked += 1) results.push((await vaults(next)).kind);
    expect(service.asked).toHaveLength(100);
    expect(results.filter((kind) => kind === 'ok')).toHaveLength(10);
    expect(results.slice(10)).toEqual(['rate-budget', 'rate-budget']);
    // It knows the former owner's requests.
    expect(next.budgetUsed().hour).toBe(100);
    await former.close();
    await last;
  });

  test('nothing is sent that could not be counted', async () => {
    const address = await newJournal(cluster);
    const service = await serviceOf(() => VAULTS);
    const nowhere = { ...address, hosts: [{ host: '127.0.0.1', port: 1 }] };
    const outcome = await vaults(clientOf(service, countOf(nowhere)));
    expect(outcome).toMatchObject({
      kind: 'unavailable',
      cause: {
        kind: 'unrecorded',
        detail: expect.stringContaining('PostgreSQL cannot be used. 127.0.0.1:1: ') as unknown,
      },
    });
    expect(service.asked).toEqual([]);
  });

  test('a count ends soon although the database is silent', async () => {
    const address = await newJournal(cluster);
    const count = countOf(address);
    expect((await count.start('sweep')).kind).toBe('done');
    const [session] = await cluster.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'counterfoil custody requests%'`,
    );
    if (session === undefined) throw new Error('a count has a session');
    process.kill(session.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(session.pid, 'SIGCONT'));
    const started = count.start('sweep');
    const askedAt = performance.now();
    await count.close();
    // An answer may take 4 s.
    expect(performance.now() - askedAt).toBeLessThan(3_000);
    expect((await started).kind).toBe('failed');
  });

  test('a count that is closed opens no connection for what is asked later', async () => {
    const address = await newJournal(cluster);
    const count = countOf(address);
    const started = await count.start('deposits');
    const closing = count.close();
    if (started.kind === 'done') count.finish(started.value ?? 0);
    expect(await count.start('deposits')).toEqual({
      kind: 'failed',
      detail: 'the connection to PostgreSQL is closed',
    });
    await closing;
    const open =
      "SELECT pid FROM pg_stat_activity WHERE application_name LIKE '%custody requests%'";
    await expect.poll(() => cluster.sql(open)).toEqual([]);
  });
});
