import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  journalAddress,
  shownHost,
  type JournalAddress,
} from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { JOURNAL_VERSION } from '../../../src/store/postgres/journal-identity.ts';
import { JournalUnavailable } from '../../../src/store/replicated/shared-journal.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { Relay } from '../../e2e/receivers/relay.ts';
import { PASSWORD } from '../../postgres/server.ts';
import { commitAfter, EMPTY, headOf, note, plain } from './commits.ts';
import { newJournal, NOW_MS, owning, readAll, receiver } from './receiver.ts';

const init = (address: JournalAddress, runtimeRole?: string): ReturnType<typeof initJournal> =>
  initJournal(address, { nowMs: NOW_MS, runtimeRole });

describe.runIf(isInstalled)('init', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
    await cluster.sql(`CREATE ROLE runtime LOGIN PASSWORD '${PASSWORD}'`);
    await cluster.sql(`CREATE ROLE stranger LOGIN PASSWORD '${PASSWORD}'`);
  });
  afterAll(() => cluster?.stop());

  const schema = (name: string): JournalAddress =>
    journalAddress(cluster.url('postgres', `?schema=${name}`));
  const as = (role: string, address: JournalAddress): JournalAddress => ({
    ...address,
    user: role,
  });

  /** The message of a receiver that cannot use the address; undefined when it can. */
  async function messageAt(address: JournalAddress): Promise<string | undefined> {
    try {
      await receiver(address, 'a').owner();
      return undefined;
    } catch (error) {
      if (error instanceof JournalUnavailable) return error.message;
      throw error;
    }
  }

  test('creates the journal once; a second time changes nothing', async () => {
    const address = schema('twice');
    const first = await init(address);
    const owner = receiver(address, 'a');
    const commit = commitAfter(EMPTY, [note('x')]);
    await owner.append(await owning(owner), commit);
    expect(await init(address)).toEqual({ storeId: first.storeId, isNew: false });
    expect((await readAll(owner, EMPTY)).map(plain)).toEqual([plain(commit)]);
  });

  test('called many times at once creates one journal', async () => {
    const address = schema('race');
    const all = await Promise.all(Array.from({ length: 4 }, () => init(address)));
    expect(new Set(all.map(({ storeId }) => storeId)).size).toBe(1);
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  test('refuses the schema of another program, and leaves it as it is', async () => {
    await cluster.sql('CREATE SCHEMA theirs; CREATE TABLE theirs.customers (name text)');
    const text = 'schema theirs of database postgres belongs to another program';
    await expect(init(schema('theirs'))).rejects.toThrow(text);
    expect(await messageAt(schema('theirs'))).toContain(text);
    const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'";
    expect(await cluster.sql(tables)).toEqual([{ tablename: 'customers' }]);
  });

  test('refuses a table named identity that is not ours', async () => {
    await cluster.sql('CREATE SCHEMA alike; CREATE TABLE alike.identity (passport text)');
    await expect(init(schema('alike'))).rejects.toThrow('belongs to another program');
    expect(await messageAt(schema('alike'))).toContain('belongs to another program');
  });

  test.each([
    ['newer', JOURNAL_VERSION + 1, 'run that version'],
    ['earlier', JOURNAL_VERSION - 1, 'docs/how-to/upgrade.md says how to upgrade it'],
  ])('refuses the journal of a %s version', async (which, version, advice) => {
    const address = schema(`version_${which}`);
    await init(address);
    await cluster.sql(`UPDATE ${address.schema}.identity SET schema_version = ${version}`);
    const text = `was made by a${which === 'newer' ? '' : 'n'} ${which} Counterfoil (journal version ${version}, this one`;
    for (const message of [await messageAt(address), await init(address).catch(String)]) {
      expect(message).toContain(text);
      expect(message).toContain(advice);
    }
  });

  test('refuses a role that may not create a schema, and says what to grant', async () => {
    await expect(init(as('stranger', schema('forbidden')))).rejects.toThrow(
      'run init as the owner of database postgres, or GRANT CREATE ON DATABASE postgres TO stranger',
    );
  });

  describe('the runtime role', () => {
    test.each([
      ['that does not exist', 'nobody', 'create it with CREATE ROLE "nobody"'],
      ['that is a superuser', 'admin', 'is a superuser and could change the journal'],
    ])('%s is refused, and no journal is created', async (_, role, text) => {
      const address = schema(`role_${role}`);
      await expect(init(address, role)).rejects.toThrow(text);
      expect(await messageAt(address)).toContain(
        'holds no journal: create it with `counterfoil init',
      );
    });

    test('that owns the schema is refused', async () => {
      await cluster.sql(`GRANT CREATE ON DATABASE postgres TO runtime`);
      const address = schema('owned');
      await init(as('runtime', address));
      await expect(init(address, 'runtime')).rejects.toThrow('runtime owns schema owned');
      await cluster.sql(`REVOKE CREATE ON DATABASE postgres FROM runtime`);
    });

    test('does all that a receiver does', async () => {
      const address = await newJournal(cluster);
      await init(address, 'runtime');
      const owner = receiver(as('runtime', address), 'a');
      const epoch = await owning(owner);
      const commit = commitAfter(EMPTY, [note('x')], ['{}']);
      expect(await owner.append(epoch, commit)).toEqual({ kind: 'appended' });
      expect(await owner.append(epoch, headOf(commit))).toEqual({ kind: 'appended' });
      expect(await owner.renew(epoch, headOf(commit))).toBe(true);
      expect((await owner.read(headOf(commit), 100)).kind).toBe('commits');
      await owner.release(epoch);
    });

    test.each([
      ...['journal', 'bodies', 'seals', 'computed_days'].flatMap((table) => [
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
        `DROP TABLE ${table} CASCADE`,
      ]),
      'UPDATE journal SET kind = kind',
      'UPDATE bodies SET content = content',
      'UPDATE seals SET hash = hash',
      'UPDATE computed_days SET packed = packed',
      'UPDATE identity SET schema_version = 9',
      'DELETE FROM ownership',
      'DROP FUNCTION refuse_change CASCADE',
      'CREATE TABLE more (x int)',
    ])('may not %s', async (sql) => {
      const address = await newJournal(cluster);
      await init(address, 'runtime');
      const text = `SET ROLE runtime; SET search_path = ${address.schema}; ${sql}`;
      await expect(cluster.sql(text)).rejects.toMatchObject({ code: '42501' });
    });
  });

  describe('a receiver says in its message', () => {
    test('that nobody listens there', async () => {
      // Port 1 of loopback.
      const address = journalAddress('postgres://admin@127.0.0.1:1/postgres');
      expect(await messageAt(address)).toBe(
        'PostgreSQL cannot be used. 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1 (nothing listens there: start PostgreSQL, or correct the address)',
      );
    });

    test('that the password is wrong, without the password', async () => {
      const address = { ...schema('public'), password: 'sesame-closed' };
      const message = await messageAt(address);
      expect(message).toContain('the password is wrong: check the one in the address of the store');
      expect(message).not.toContain('sesame-closed');
    });

    test('that a password is missing, and hangs up: the server would wait for it for a minute', async () => {
      const relay = await Relay.listen();
      relay.port = cluster.primary.port;
      const url = `postgres://admin@127.0.0.1:${relay.ownPort}/postgres`;
      expect(await messageAt(journalAddress(url))).toContain('the server asks for a password');
      await expect.poll(() => relay.connections, { timeout: 20_000 }).toBe(0);
    });

    test('what is wrong at two servers, once', async () => {
      const address = journalAddress('postgres://admin@127.0.0.1:1,127.0.0.2:1/postgres');
      const wrong = { ...schema('public'), password: 'sesame-closed' };
      const [host] = wrong.hosts;
      if (host === undefined) throw new Error('the cluster has a server');
      const message = await messageAt({ ...wrong, hosts: [host, ...address.hosts, host] });
      expect(message?.split('the password is wrong').length).toBe(2);
      expect(message).toContain(`${shownHost(host)}, ${shownHost(host)}: password authentication`);
    });

    test('that the database does not exist', async () => {
      const message = await messageAt(journalAddress(cluster.url('nowhere')));
      expect(message).toContain('create it, then run `counterfoil init`');
    });

    test('that the journal does not exist', async () => {
      expect(await messageAt(schema('nothing'))).toContain(
        'schema nothing of database postgres holds no journal: create it with `counterfoil init --store …` if it is new. If receivers have used it, correct the address, or restore the database from its backup',
      );
    });

    test('that its role has no rights', async () => {
      const address = await newJournal(cluster);
      expect(await messageAt(as('stranger', address))).toContain(
        `role stranger has no right to schema ${address.schema} of database postgres: run \`counterfoil init --runtime-role stranger\``,
      );
    });

    test('that the only server it names is a standby', async () => {
      const { hosts, ...rest } = await newJournal(cluster);
      const message = await messageAt({ ...rest, hosts: hosts.slice(1) });
      expect(message).toContain('this server is a standby: name the primary too');
    });

    test('that the server is read-only', async () => {
      const address = await newJournal(cluster);
      await init(address, 'runtime');
      await cluster.sql('ALTER ROLE runtime SET default_transaction_read_only = on');
      expect(await messageAt(as('runtime', address))).toContain('this server is read-only');
      await cluster.sql('ALTER ROLE runtime RESET default_transaction_read_only');
    });

    test('that no connection is left', async () => {
      const address = await newJournal(cluster);
      await init(address, 'runtime');
      await cluster.sql('ALTER ROLE runtime CONNECTION LIMIT 0');
      const message = await messageAt(as('runtime', address));
      await cluster.sql('ALTER ROLE runtime CONNECTION LIMIT -1');
      expect(message).toContain('the server has no connection left');
    });
  });

  test('a standby that comes first in the address is skipped', async () => {
    const { hosts, ...rest } = await newJournal(cluster);
    const owner = receiver({ ...rest, hosts: hosts.toReversed() }, 'a');
    const epoch = await owning(owner);
    expect(await owner.append(epoch, commitAfter(EMPTY, [note('x')]))).toEqual({
      kind: 'appended',
    });
  });

  test('an append without the right to it is unavailable, and nothing was kept', async () => {
    const address = await newJournal(cluster);
    await init(address, 'runtime');
    const owner = receiver(as('runtime', address), 'a');
    const epoch = await owning(owner);
    await cluster.sql(`REVOKE INSERT ON ${address.schema}.seals FROM runtime`);
    const appended = await owner.append(epoch, commitAfter(EMPTY, [note('x')]));
    expect(appended).toEqual({
      kind: 'unavailable',
      cause:
        'permission denied for table seals (the role lacks a right: run `counterfoil init --runtime-role` with its name)',
    });
    expect(await cluster.sql(`SELECT FROM ${address.schema}.journal`)).toEqual([]);
  });
});
