import Sqlite from 'better-sqlite3';
import { renameSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../../postgres/installed.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { ownerAndFollower, until, type RealReceiver } from '../../e2e/receivers/receivers.ts';
import { statusOf } from '../../e2e/receivers/sender.ts';

/** Damages the list of tables in the file of a receiver that runs. */
function damage(path: string): void {
  const db = new Sqlite(path);
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec("UPDATE sqlite_master SET rootpage = 999999 WHERE name = 'postings'");
  // Other connections read the list again.
  db.pragma(`schema_version = ${Number(db.pragma('schema_version', { simple: true })) + 1}`);
  db.close();
}

async function isCutOff(receiver: RealReceiver, says: string): Promise<void> {
  const { status, receiver: state } = await receiver.ready();
  expect([status, state.role]).toEqual(['journal-unavailable', 'cut_off']);
  expect(state.cause).toContain(says);
}

/** How often a receiver has taken the ownership since its last start. */
function ownerships(receiver: RealReceiver): number {
  return receiver.daemon.stderr().split('this receiver owns the journal').length - 1;
}

describe.runIf(isInstalled)('a receiver whose own replica cannot be written', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('hands over when the file is damaged, is not ready, and takes the journal no more', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    expect(await statusOf(owner, 1)).toBe('accepted');
    damage(owner.daemon.storePath);
    // The next owner keeps what still arrives here.
    expect(await statusOf(owner, 2)).toBe('accepted');
    await isCutOff(owner, 'SQLITE_CORRUPT');
    const { receiver } = await follower.becomes('owner');
    expect(await statusOf(follower, 2)).toBe('duplicate');
    await follower.daemon.end('SIGTERM');
    await follower.start();
    const again = await follower.becomes('owner');
    expect(again.receiver.epoch).toBe((receiver.epoch ?? 0) + 1);
    expect(await statusOf(follower, 3)).toBe('accepted');
    await isCutOff(owner, 'SQLITE_CORRUPT');
    expect(ownerships(owner)).toBe(1);
  });

  test('hands over when the file was moved, and appends nothing that it cannot keep', async () => {
    const { owner, follower } = await ownerAndFollower(cluster);
    expect(await statusOf(owner, 1)).toBe('accepted');
    const { storePath } = owner.daemon;
    const { receiver } = await owner.ready();
    renameSync(storePath, `${storePath}.moved`);
    expect(await statusOf(owner, 2)).toBe('accepted');
    await isCutOff(owner, 'was moved');
    await follower.becomes('owner');
    expect((await follower.ready()).receiver.position).toBe(receiver.position + 1);
    expect(await statusOf(follower, 2)).toBe('duplicate');
    expect(ownerships(owner)).toBe(1);

    renameSync(`${storePath}.moved`, storePath);
    await owner.becomes('follower');
    await until('it holds the journal again', async () => {
      const [mine, theirs] = await Promise.all([owner.ready(), follower.ready()]);
      return mine.receiver.position === theirs.receiver.position;
    });
    expect(await statusOf(owner, 3)).toBe('accepted');
  });
});
