import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyToJournal } from '../../../src/commands/store/copy-journal.ts';
import {
  NOT_INSTALLED,
  postgresPrograms,
  serverUser,
} from '../../../src/commands/demo/postgres/installation.ts';
import { PostgresPrograms } from '../../../src/commands/demo/postgres/programs.ts';
import { SUPERUSER } from '../../../src/commands/demo/postgres/server.ts';
import { journalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import type { SealedCommit } from '../../../src/store/replicated/shared-journal.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { runProgram } from '../../e2e/program.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { PASSWORD, PostgresServer } from '../../postgres/server.ts';
import { OpenLedger, temporaryPath } from '../open-ledger.ts';
import { Service } from '../webhook.ts';
import { EMPTY, headOf } from './commits.ts';
import { newJournal, NOW_MS, owning, readAll, receiver } from './receiver.ts';

const isInstalled = postgresPrograms(process.env) !== undefined;
if (!isInstalled) console.warn(`skipped: ${NOT_INSTALLED}`);

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** A folder of the servers' user, in the order of need: the archive of the log, and restored data. */
function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-restore-'));
  const archive = join(folder, 'archive');
  mkdirSync(archive);
  const { uid, gid } = serverUser();
  for (const path of [folder, archive]) {
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
  return folder;
}

/** Runs a command that must succeed, and returns what it printed. */
async function succeeded(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

describe.runIf(isInstalled)('a backup of the database', () => {
  const folder = isInstalled ? serverFolder() : '';
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({
      standby: false,
      settings: { archive_mode: 'on', archive_command: `cp %p ${folder}/archive/%f` },
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Commits of webhooks, one each, as receivers append them. */
  async function webhookCommits(count: number): Promise<SealedCommit[]> {
    const path = temporaryPath();
    const open = new OpenLedger(path);
    for (let number = 1; number <= count; number += 1) {
      await open.deliver(new Service().confirmed(number));
    }
    open.close();
    const source = await newJournal(cluster);
    await copyToJournal(path, receiver(source, 'copy'), SILENT);
    return readAll(receiver(source, 'reader'), EMPTY);
  }

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

  /** Starts a server over a base backup, until the test ends. */
  async function startOver(
    data: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PostgresServer> {
    const server = new PostgresServer(data, settings);
    onTestFinished(() => server.stop());
    await server.start();
    const isPrimary = 'SELECT NOT pg_is_in_recovery() AS done';
    await expect.poll(() => cluster.sql(isPrimary, { server })).toEqual([{ done: true }]);
    return server;
  }

  /** Lets the archive have everything that was written until now. */
  async function archive(): Promise<void> {
    const [row] = await cluster.sql<{ file: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS file',
    );
    const isThere = `SELECT last_archived_wal >= '${row?.file}' AS done FROM pg_stat_archiver`;
    await expect.poll(() => cluster.sql(isThere)).toEqual([{ done: true }]);
  }

  function urlOn({ port }: PostgresServer, schema: string): string {
    return `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/postgres?schema=${schema}`;
  }

  test('that pg_basebackup took under appends is sound by `counterfoil verify`', async () => {
    const commits = await webhookCommits(20);
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const epoch = await owning(owner);
    const first = commits.slice(0, 5);
    for (const commit of first) await owner.append(epoch, commit);
    const backingUp = baseBackup('base');
    for (const commit of commits.slice(5)) await owner.append(epoch, commit);
    const server = await startOver(await backingUp);
    const printed = await succeeded('verify', '--store', urlOn(server, address.schema));
    const facts = Number(/: (\d+) facts\n/.exec(printed)?.[1]);
    expect(facts).toBeGreaterThanOrEqual(first.length);
    expect(printed).toMatch(/\nsound\n$/);
  });

  test('restored to an earlier time lets replicas that are ahead stop, and the guide brings the journal back', async () => {
    const [one, two, three] = (await webhookCommits(3)) as [
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
    const server = await startOver(data, {
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
    expect(await reads.restoredAfter()).toHaveLength(1);
  });
});
