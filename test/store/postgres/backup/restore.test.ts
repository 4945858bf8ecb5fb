import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isInstalled } from '../../../postgres/installed.ts';
import { PostgresPrograms } from '../../../../src/commands/demo/postgres/programs.ts';
import { journalAddress } from '../../../../src/store/postgres/address.ts';
import { initJournal } from '../../../../src/store/postgres/init.ts';
import type { SealedCommit } from '../../../../src/store/replicated/shared-journal.ts';
import { openForReading } from '../../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../../src/store/sqlite/reads/sqlite-reads.ts';
import { startPostgres, type PostgresCluster } from '../../../postgres/cluster.ts';
import { temporaryPath } from '../../open-ledger.ts';
import { headOf } from '../commits.ts';
import { newJournal, NOW_MS, owning, receiver } from '../receiver.ts';
import {
  removeFolder,
  serverFolder,
  startOver,
  succeeded,
  urlOn,
  webhookCommits,
} from './database-copy.ts';

describe.runIf(isInstalled)('a backup of the database', () => {
  const folder = isInstalled ? serverFolder('archive') : '';
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({
      standby: false,
      settings: { archive_mode: 'on', archive_command: `cp %p ${folder}/archive/%f` },
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    removeFolder(folder);
  });

  /** Takes a base backup; returns its data folder. */
  async function baseBackup(name: string): Promise<string> {
    const data = join(folder, name);
    const source = cluster.primary.sourceAt(cluster.primary.port);
    const programs = new PostgresPrograms(process.env);
    await programs.run(
      'pg_basebackup',
      `--dbname=${source}`,
      `--pgdata=${data}`,
      '--checkpoint=fast',
    );
    return data;
  }

  /** Lets the archive have everything that was written until now. */
  async function archive(): Promise<void> {
    const [row] = await cluster.sql<{ file: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS file',
    );
    const isThere = `SELECT last_archived_wal >= '${row?.file}' AS done FROM pg_stat_archiver`;
    await expect.poll(() => cluster.sql(isThere)).toEqual([{ done: true }]);
  }

  test('that pg_basebackup took under appends is sound by `counterfoil verify`', async () => {
    const commits = await webhookCommits(cluster, 20);
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const epoch = await owning(owner);
    const first = commits.slice(0, 5);
    for (const commit of first) await owner.append(epoch, commit);
    const backingUp = baseBackup('base');
    for (const commit of commits.slice(5)) await owner.append(epoch, commit);
    const server = await startOver(cluster, await backingUp);
    const printed = await succeeded('verify', '--store', urlOn(server, address.schema));
    const facts = Number(/: (\d+) facts\n/.exec(printed)?.[1]);
    expect(facts).toBeGreaterThanOrEqual(first.length);
    expect(printed).toMatch(/\nsound\n$/);
  });

  test('restored to an earlier time lets replicas that are ahead stop, and the guide brings the journal back', async () => {
    const [one, two, three] = (await webhookCommits(cluster, 3)) as [
      SealedCommit,
      SealedCommit,
      SealedCommit,
    ];
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const epoch = await owning(owner);
    await owner.append(epoch, one);
    const data = await baseBackup('earlier');
    await owner.append(epoch, two);
    await cluster.sql(`SELECT pg_create_restore_point('earlier')`);
    await owner.append(epoch, three);
    await archive();
    writeFileSync(join(data, 'recovery.signal'), '');
    const server = await startOver(cluster, data, {
      restore_command: `cp ${folder}/archive/%f "%p"`,
      recovery_target_name: 'earlier',
      recovery_target_action: 'promote',
    });
    const url = urlOn(server, address.schema);
    expect(await succeeded('verify', '--store', url)).toMatch(/: 2 facts\n[^]*\nsound\n$/);
    const restored = receiver(journalAddress(url), 'b');
    expect(await restored.read(headOf(three), 100)).toMatchObject({ kind: 'diverged' });
    expect(await restored.read(headOf(two), 100)).toEqual({ kind: 'commits', commits: [] });

    // As the guide says: the journal goes through a file, where `restore` records what happened.
    const file = temporaryPath();
    const again = urlOn(server, 'again');
    await succeeded('copy', '--from', url, '--to', `sqlite:${file}`, '--without-standby');
    await succeeded('restore', '--from', file, '--store', `${file}.restored`);
    await initJournal(journalAddress(again), { nowMs: NOW_MS });
    const copying = ['copy', '--from', `sqlite:${file}.restored`, '--to', again];
    await succeeded(...copying, '--without-standby');
    expect(await succeeded('verify', '--store', again)).toMatch(/: 3 facts\n[^]*\nsound\n$/);
    const reads = new SqliteReads(openForReading(`${file}.restored`));
    onTestFinished(() => reads.close());
    expect(await reads.feedRestores()).toHaveLength(1);
  });
});
