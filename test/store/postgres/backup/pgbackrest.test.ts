import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  NOT_INSTALLED,
  postgresPrograms,
  serverUser,
} from '../../../../src/commands/demo/postgres/installation.ts';
import { SUPERUSER } from '../../../../src/commands/demo/postgres/server.ts';
import type { SealedCommit } from '../../../../src/store/replicated/shared-journal.ts';
import { startPostgres, type PostgresCluster } from '../../../postgres/cluster.ts';
import { PASSWORD } from '../../../postgres/server.ts';
import { newJournal, owning, receiver } from '../receiver.ts';
import {
  removeFolder,
  serverFolder,
  startOver,
  succeeded,
  urlOn,
  webhookCommits,
} from './database-copy.ts';

const PGBACKREST = '/usr/bin/pgbackrest';
const isInstalled = postgresPrograms(process.env) !== undefined && existsSync(PGBACKREST);
if (!isInstalled) {
  console.warn(`skipped: ${NOT_INSTALLED}; \`apt-get install pgbackrest\` brings pgBackRest`);
}

describe.runIf(isInstalled)('a backup that pgBackRest took', () => {
  const folder = isInstalled ? serverFolder('repository', 'spool', 'lock') : '';
  const configuration = join(folder, 'pgbackrest.conf');
  const command = [`--config=${configuration}`, '--stanza=books'];
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await startPostgres({
      standby: false,
      settings: {
        archive_mode: 'on',
        archive_command: `${PGBACKREST} ${command.join(' ')} archive-push %p`,
        // pgBackRest connects over a socket in the file system.
        unix_socket_directories: folder,
      },
    });
    const { primary } = cluster;
    writeFileSync(
      configuration,
      `[global]
repo1-path=${folder}/repository
repo1-retention-full=7
spool-path=${folder}/spool
lock-path=${folder}/lock
log-level-file=off
start-fast=y

[books]
pg1-path=${primary.folder}
pg1-port=${primary.port}
pg1-socket-path=${folder}
pg1-user=${SUPERUSER}
`,
    );
  });
  afterAll(async () => {
    await cluster?.stop();
    removeFolder(folder);
  });

  /** Runs pgBackRest as the servers' user. Throws with its messages when it fails. */
  async function pgbackrest(...args: string[]): Promise<void> {
    const env = { ...process.env, PGPASSWORD: PASSWORD, LC_ALL: 'C' };
    const options = { ...serverUser(), cwd: '/', env };
    await promisify(execFile)(PGBACKREST, [...command, ...args], options);
  }

  test('as the guide says is sound, and comes back as it was at a moment', async () => {
    const commits = await webhookCommits(cluster, 3);
    const [one, two, three] = commits as [SealedCommit, SealedCommit, SealedCommit];
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const epoch = await owning(owner);
    await owner.append(epoch, one);
    await pgbackrest('stanza-create');
    await pgbackrest('check');
    await pgbackrest('--type=full', 'backup');
    // pgBackRest compares whole seconds: a moment within the second of the backup is before it.
    const [ended] = await cluster.sql<{ at: string }>('SELECT clock_timestamp()::text AS at');
    const isLater = `SELECT clock_timestamp() > '${ended?.at}'::timestamptz + interval '2 s' AS done`;
    await expect.poll(() => cluster.sql(isLater)).toEqual([{ done: true }]);
    await owner.append(epoch, two);
    const [moment] = await cluster.sql<{ at: string }>('SELECT clock_timestamp()::text AS at');
    await owner.append(epoch, three);
    // Archives what was written until now.
    await pgbackrest('check');

    const restored = join(folder, 'restored');
    const target = ['--type=time', `--target=${moment?.at}`, '--target-action=promote'];
    await pgbackrest(`--pg1-path=${restored}`, ...target, 'restore');
    const server = await startOver(cluster, restored, { archive_mode: 'off' });
    const printed = await succeeded('verify', '--store', urlOn(server, address.schema));
    expect(printed).toMatch(/: 2 facts\n[^]*\nsound\n$/);
  });
});
