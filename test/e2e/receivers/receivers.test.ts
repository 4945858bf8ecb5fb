import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { runProgram } from '../program.ts';
import { ownerAndFollower, until } from './receivers.ts';
import { Sender, statusOf } from './sender.ts';

describe.runIf(isInstalled)('two receivers of one journal', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('each takes webhooks, recognises what the other has taken, and shows the same books', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    expect(await statusOf(follower, 1)).toBe('accepted');
    expect(await statusOf(owner, 1)).toBe('duplicate');
    expect(await statusOf(owner, 2)).toBe('accepted');
    expect(await statusOf(follower, 2)).toBe('duplicate');
    const { receiver } = await owner.ready();
    await until(
      'the replicas are level',
      async () => (await follower.ready()).receiver.position === receiver.position,
    );
    const lists = await Promise.all(
      [owner, follower].map(({ daemon }) => daemon.get<{ data: unknown[] }>('/v1/deposits')),
    );
    expect(lists[0]).toEqual(lists[1]);
    expect(lists[0]?.data).toHaveLength(2);
  });

  test('doctor names the server of the journal, and that no standby keeps a copy', async () => {
    const { follower } = await ownerAndFollower(cluster);
    const { code, stdout } = await runProgram('doctor', '--config', follower.daemon.configPath);
    expect(stdout).toMatch(/^ok +127\.0\.0\.1:\d+: reached; the primary$/m);
    expect(stdout).toMatch(/^PROBLEM .*synchronous_standby_names is empty/m);
    expect(code).toBe(1);
  });

  test('a run and a decision at the follower run at the owner, and the follower shows them', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    const run = await follower.daemon.post<{ reconciliationId: string }>('/v1/reconciliations');
    const runs = await follower.daemon.get<{ data: { reconciliationId: string }[] }>(
      '/v1/reconciliations',
    );
    expect(runs.data.map(({ reconciliationId }) => reconciliationId)).toEqual([
      run.reconciliationId,
    ]);
    await follower.daemon.post('/v1/policy/halt', { reason: 'a test' });
    const policies = await Promise.all(
      [owner, follower].map(({ daemon }) => daemon.get<object>('/v1/policy')),
    );
    expect(policies[0]).toEqual(policies[1]);
  });

  test('kill -9 of the owner: the follower takes over and nothing is lost', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    const before = await owner.ready();
    const sender = new Sender([owner, follower]);
    await until('deliveries arrive', () => sender.acknowledged.length > 50);
    await owner.daemon.end('SIGKILL');
    owner.relay.cut();
    const after = await follower.becomes('owner');
    expect(after.receiver.epoch).toBe((before.receiver.epoch ?? 0) + 1);
    await until(
      'the new owner serves',
      async () => (await statusOf(follower, 1_000_000)) !== 'refused 503',
    );
    await sender.stop();
    for (const number of sender.acknowledged) {
      expect(await statusOf(follower, number)).toBe('duplicate');
    }
  });

  test('SIGTERM of the owner: the follower takes over and no delivery is refused', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    const sender = new Sender([owner, follower]);
    await until('deliveries arrive', () => sender.acknowledged.length > 50);
    const ended = owner.daemon.end('SIGTERM');
    await follower.becomes('owner');
    expect(await ended).toBe(0);
    const acknowledged = sender.acknowledged.length;
    await until('deliveries go on', () => sender.acknowledged.length > acknowledged + 20);
    await sender.stop();
    expect(sender.refused).toEqual([]);
    for (const number of sender.acknowledged) {
      expect(await statusOf(follower, number)).toBe('duplicate');
    }
  });

  test('an owner that slept beyond its lease is fenced and follows', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    expect(await statusOf(owner, 1)).toBe('accepted');
    process.kill(owner.daemon.pid, 'SIGSTOP');
    await follower.becomes('owner');
    expect(await statusOf(follower, 2)).toBe('accepted');
    process.kill(owner.daemon.pid, 'SIGCONT');
    // Whether it still takes itself for the owner or not: it acknowledges nothing alone.
    expect(await statusOf(owner, 3)).toBe('accepted');
    await owner.becomes('follower');
    for (const number of [1, 2, 3]) {
      expect(await statusOf(follower, number)).toBe('duplicate');
      expect(await statusOf(owner, number)).toBe('duplicate');
    }
  });
});
