import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { journalAddress, type JournalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { journalFindings } from '../../../src/store/postgres/journal-findings.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { PASSWORD } from '../../postgres/server.ts';
import { newJournal, NOW_MS } from './receiver.ts';

describe.runIf(isInstalled)('the findings about a database', () => {
  let cluster: PostgresCluster;
  let sound: JournalAddress;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
    await cluster.sql(`CREATE ROLE runtime LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_monitor`);
    const address = await newJournal(cluster);
    await initJournal(address, { nowMs: NOW_MS, runtimeRole: 'runtime' });
    sound = { ...address, user: 'runtime' };
    await cluster.standbyFollows();
  });
  afterEach(async () => {
    await cluster.sql('ALTER SYSTEM RESET ALL');
    await cluster.setSynchronous(true);
    await cluster.standbyFollows();
  });
  afterAll(() => cluster?.stop());

  /** The findings that are not ok. */
  async function problemsOf(address: JournalAddress, nowMs = Date.now): Promise<string[]> {
    const found = await journalFindings(address, nowMs);
    return found.flatMap(({ status, detail }) => (status === 'ok' ? [] : [`${status}: ${detail}`]));
  }

  async function reconfigured(setting: string): Promise<void> {
    await cluster.sql(`ALTER SYSTEM SET ${setting}`);
    await cluster.sql('SELECT pg_reload_conf()');
    const [name, value] = setting.split(' = ');
    const current = `SELECT current_setting('${name}') AS value`;
    await expect.poll(() => cluster.sql(current)).toEqual([{ value: value?.replaceAll("'", '') }]);
  }

  test('of a sound cluster name the servers, the standby and the journal', async () => {
    const found = await journalFindings(sound, Date.now);
    expect(
      found.map(({ status, detail }) => `${status}: ${detail.replace(/\d+ bytes/, 'N bytes')}`),
    ).toEqual([
      'ok: reached; the primary',
      'ok: standby standby (sync) is N bytes behind',
      `ok: schema ${sound.schema}; role runtime cannot change it`,
      'ok: reached; a standby',
    ]);
  });

  test.each([
    ['fsync = off', 'problem: fsync is off'],
    ['full_page_writes = off', 'problem: full_page_writes is off'],
    ['synchronous_commit = local', 'warning: synchronous_commit is local'],
    ['client_min_messages = error', 'warning: client_min_messages is error'],
    [
      "default_transaction_isolation = 'repeatable read'",
      'warning: default_transaction_isolation is repeatable read',
    ],
    ["synchronous_standby_names = ''", 'problem: synchronous_standby_names is empty'],
    ['synchronous_standby_names = elsewhere', 'problem: no synchronous standby follows'],
  ])('name %s', async (setting, finding) => {
    await reconfigured(setting);
    const found = await problemsOf(sound);
    expect(found).toEqual([expect.stringContaining(finding)]);
  });

  test('name a clock that differs by an hour', async () => {
    const found = await problemsOf(sound, () => Date.now() - 3_600_000);
    const finding = expect.stringMatching(
      /^warning: its clock is 3\d{3} s ahead of this machine's/,
    ) as unknown;
    expect(found).toEqual([finding, finding]);
  });

  test('name a server with few connections left', async () => {
    const opened = await Promise.all(Array.from({ length: 90 }, () => cluster.connect()));
    const found = await problemsOf(sound);
    await Promise.all(opened.map((client) => client.end()));
    const finding = /^warning: \d connections are left: raise max_connections$/;
    expect(found).toEqual([expect.stringMatching(finding)]);
  });

  test('name the program whose open transaction keeps old versions of rows', async () => {
    const reader = await cluster.connect();
    await reader.query(
      `SET application_name = 'nightly dump'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT`,
    );
    // Each pass of the loop writes in a transaction of its own.
    await cluster.sql(`CREATE TEMPORARY TABLE burned (); DO $$ BEGIN FOR pass IN 1..100000 LOOP
      BEGIN INSERT INTO burned DEFAULT VALUES; EXCEPTION WHEN division_by_zero THEN END;
      END LOOP; END $$`);
    const found = await problemsOf(sound);
    await reader.end();
    expect(found).toEqual([
      expect.stringMatching(
        /^warning: nightly dump \(process \d+\) has kept one transaction open while 1\d{5} others ran, so old versions of rows stay, and each append becomes slower: end it$/,
      ),
    ]);
    expect(await problemsOf(sound)).toEqual([]);
  });

  test('name two servers that both take writes', async () => {
    const other = await startPostgres({ standby: false });
    await other.sql(`CREATE ROLE runtime LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_monitor`);
    const hosts = [
      ...sound.hosts.slice(0, 1),
      ...journalAddress(other.url('postgres', `?schema=${sound.schema}`)).hosts,
    ];
    const found = await problemsOf({ ...sound, hosts });
    await other.stop();
    expect(found.at(-1)).toBe(
      'problem: 2 servers take writes, so they are not one cluster: stop all but the one that the others follow',
    );
  });

  test('name a role that may change the journal', async () => {
    expect(await problemsOf({ ...sound, user: 'admin' })).toEqual([
      'warning: role admin may change or delete rows of journal, bodies, seals, computed_days: run receivers under a role of `counterfoil init --runtime-role`',
    ]);
  });

  test('name a role that cannot see the standbys', async () => {
    await cluster.sql('REVOKE pg_monitor FROM runtime');
    const found = await problemsOf(sound);
    await cluster.sql('GRANT pg_monitor TO runtime');
    expect(found).toEqual([expect.stringContaining('problem: this role may not see')]);
  });

  test('name an address that names the standby alone', async () => {
    expect(await problemsOf({ ...sound, hosts: sound.hosts.slice(1) })).toEqual([
      'problem: no server of the address takes writes: name the primary too',
    ]);
  });

  test('say nothing of a primary while no server answers', async () => {
    const hosts = [{ host: '127.0.0.1', port: 1 }];
    expect(await problemsOf({ ...sound, hosts })).toEqual([
      expect.stringContaining('problem: connect ECONNREFUSED'),
    ]);
  });

  test('name a server that cannot be reached, and a missing journal', async () => {
    const address = journalAddress(cluster.url('postgres', '?schema=nothing'));
    const hosts = [...address.hosts, { host: '127.0.0.1', port: 1 }];
    expect(await problemsOf({ ...address, hosts })).toEqual([
      expect.stringContaining('problem: schema nothing of database postgres holds no journal'),
      expect.stringContaining('problem: connect ECONNREFUSED'),
    ]);
  });
});
