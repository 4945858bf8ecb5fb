import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mostInSpan } from '../../custody/most-in-span.ts';
import { ScriptedService, type Reply } from '../../custody/scripted-service.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import type { DaemonOptions } from '../../e2e/daemon.ts';
import { runProgram } from '../../e2e/program.ts';
import { newJournalUrl, receiverOf } from '../../e2e/receivers/receivers.ts';

const VAULTS = Array.from({ length: 60 }, (_, index) => ({
  vaultId: `vault-${index}`,
  name: `Vault ${index}`,
}));

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A custody service that notes when each request arrives. */
async function notingService(): Promise<{ service: ScriptedService; times: number[] }> {
  const service = await ScriptedService.start();
  onTestFinished(() => service.stop());
  const times: number[] = [];
  service.answer(({ path }): Reply => {
    times.push(Date.now());
    const data = path.endsWith('/vaults') ? VAULTS : [];
    if (path.endsWith('/confirmations')) return { json: { confirmations: {} } };
    return { json: { data, pagination: { page: 0, pageSize: 1_000, total: data.length } } };
  });
  return { service, times };
}

function custodyOf(service: ScriptedService): Pick<DaemonOptions, 'custody'> {
  return {
    custody: ({ folder, hookPath }) => {
      const privateKeyFile = join(folder, 'custody.pem');
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
      writeFileSync(privateKeyFile, pem, { mode: 0o600 });
      const webhookUrl = `http://127.0.0.1:1${hookPath}`;
      return {
        baseUrl: service.baseUrl,
        clientId: 'client-7',
        privateKeyFile,
        webhookUrl,
        vaults: 'all',
      };
    },
  };
}

describe.runIf(isInstalled)('the requests of several receivers', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('keep to one limit over kill -9 of the owner, a takeover, and commands on both machines', async () => {
    const { service, times } = await notingService();
    const store = await newJournalUrl(cluster);
    const [owner, follower] = [
      await receiverOf(store, 'a', {}, custodyOf(service)),
      await receiverOf(store, 'b', {}, custodyOf(service)),
    ];
    const doctor = (at: typeof owner): ReturnType<typeof runProgram> =>
      runProgram('doctor', '--config', at.daemon.configPath);
    await owner.start();
    await owner.becomes('owner');
    await follower.start();
    await follower.becomes('follower');
    await owner.daemon.post('/v1/reconciliations');
    await Promise.all([doctor(owner), doctor(follower)]);
    await owner.daemon.end('SIGKILL');
    owner.relay.cut();
    await follower.becomes('owner');
    const before = times.length;
    await follower.daemon.post('/v1/reconciliations');
    const last = await doctor(follower);

    expect(before).toBeGreaterThan(30);
    expect(mostInSpan(times, 60_000)).toBeLessThanOrEqual(100);
    // A check may use 40 requests of a minute, and the others have used them.
    expect(last.stdout).toContain('the request limit is used up');
    const [counted] = await cluster.sql<{ requests: number }>(
      `SELECT count(*)::int AS requests FROM ${new URL(store).searchParams.get('schema')}.custody_requests`,
    );
    expect(counted?.requests).toBeGreaterThanOrEqual(times.length);
  });
});
