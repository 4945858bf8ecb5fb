import { describe, expect, onTestFinished, test } from 'vitest';
import { PostgresCluster } from '../../../../src/commands/demo/postgres/cluster.ts';
import { isInstalled } from '../../../postgres/installed.ts';

/** A primary and two standbys; a commit waits for one of them. */
async function threeServers(): Promise<PostgresCluster> {
  const cluster = new PostgresCluster(['one', 'two', 'three'], process.env);
  onTestFinished(() => cluster.stop());
  await cluster.start();
  return cluster;
}

describe.runIf(isInstalled)('when the primary of three servers dies', () => {
  test('the standby that has received most takes over, the other follows it, and the dead one comes back', async () => {
    const cluster = await threeServers();
    const [one, two, three] = cluster.servers;
    if (one === undefined || two === undefined) throw new Error('there are three servers');
    await cluster.sql('CREATE TABLE kept (name text)');
    await two.server.stop();
    await cluster.sql("INSERT INTO kept VALUES ('by three alone')");
    await one.server.kill();
    await two.server.start();

    await cluster.promote();
    expect(cluster.primary).toBe(three);
    // The commit waits until `two` follows the new primary.
    await cluster.sql("INSERT INTO kept VALUES ('after')");

    await cluster.renew(one);
    expect(cluster.standbys).toEqual([one, two]);
    for (const server of [one, two]) {
      await expect
        .poll(() => cluster.sql('SELECT name FROM kept ORDER BY name', server))
        .toEqual([{ name: 'after' }, { name: 'by three alone' }]);
    }
  });
});
