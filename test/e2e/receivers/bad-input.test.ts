import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { journalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { JOURNAL_VERSION } from '../../../src/store/postgres/journal-identity.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { PASSWORD } from '../../postgres/server.ts';
import { callProgram } from '../called-program.ts';
import type { Daemon } from '../daemon.ts';
import { eventually } from '../program.ts';
import { receiverOf, webhook } from './receivers.ts';

describe.runIf(isInstalled)('a store that cannot be used', () => {
  let cluster: PostgresCluster;
  /** Accepts connections and sends nothing. */
  const silent = createServer();

  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    for (const role of ['stranger', 'reader']) {
      await cluster.sql(`CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    }
    for (const schema of ['sound', 'older', 'newer', 'readable']) {
      await initJournal(journalAddress(cluster.url('postgres', `?schema=${schema}`)), {
        nowMs: Date.now(),
      });
    }
    await cluster.sql(`UPDATE older.identity SET schema_version = ${JOURNAL_VERSION - 1}`);
    await cluster.sql(`UPDATE newer.identity SET schema_version = ${JOURNAL_VERSION + 1}`);
    await cluster.sql('GRANT USAGE ON SCHEMA readable TO reader');
    await cluster.sql('GRANT SELECT ON ALL TABLES IN SCHEMA readable TO reader');
    await cluster.sql('CREATE SCHEMA shop; CREATE TABLE shop.orders (id int)');
    await cluster.sql('CREATE DATABASE shop');
    await cluster.sql('CREATE TABLE orders (id int)', { database: 'shop' });
    await cluster.standbyFollows();
  });
  afterAll(async () => {
    silent.close();
    await cluster?.stop();
  });

  /** `postgres://…` of the primary, or of the server named. */
  function at(
    schema: string,
    how: { user?: string; password?: string; host?: string; database?: string; more?: string } = {},
  ): string {
    const { user = 'admin', password = PASSWORD, database = 'postgres', more = '' } = how;
    const host = how.host ?? `127.0.0.1:${cluster.primary.port}`;
    return `postgres://${user}:${password}@${host}/${database}?schema=${schema}${more}`;
  }

  /** Everything that a start could change: tables, versions, owners, facts. */
  async function contents(): Promise<unknown> {
    const found: unknown[] = [];
    for (const database of ['postgres', 'shop']) {
      found.push(
        await cluster.sql(
          `SELECT relnamespace::regnamespace::text AS schema, relname, relacl::text FROM pg_class
           WHERE relnamespace::regnamespace::text !~ '^pg_' ORDER BY 1, 2`,
          { database },
        ),
      );
    }
    for (const schema of ['sound', 'older', 'newer', 'readable']) {
      found.push(await cluster.sql(`SELECT * FROM ${schema}.identity, ${schema}.ownership`));
      found.push(await cluster.sql(`SELECT * FROM ${schema}.receivers`));
    }
    return found;
  }

  const rows: readonly {
    readonly what: string;
    readonly store: () => string;
    readonly says: RegExp;
    /** The message of init where it differs; `helps`: init creates what is missing. */
    readonly init?: RegExp | 'helps';
    /** A receiver is started on it too. `unfit-receiver.test.ts` has a journal of a newer version. */
    readonly serves?: true;
  }[] = [
    {
      what: 'a port on which nothing listens',
      store: () => at('sound', { host: '127.0.0.1:1' }),
      says: /127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1 \(nothing listens there: start PostgreSQL, or correct the address\)/,
    },
    {
      what: 'a host that does not exist',
      store: () => at('sound', { host: 'nowhere.invalid' }),
      says: /nowhere\.invalid:5432: getaddrinfo \w+ nowhere\.invalid \(.*correct the address/,
    },
    {
      what: 'a server that is not PostgreSQL',
      serves: true,
      store: () => at('sound', { host: `127.0.0.1:${(silent.address() as AddressInfo).port}` }),
      says: /127\.0\.0\.1:\d+: nothing answers there as PostgreSQL does: correct the address/,
    },
    {
      what: 'a server without TLS, although TLS is wanted',
      store: () => at('sound', { more: '&sslmode=require' }),
      says: /the server has no TLS: switch ssl on there, or write sslmode=disable/,
    },
    {
      what: 'a wrong password',
      serves: true,
      store: () => at('sound', { password: 'wrong-secret' }),
      says: /password authentication failed for user "admin" \(the password is wrong: check the one in the address of the store\)/,
    },
    {
      what: 'a database that does not exist',
      store: () => at('sound', { database: 'nothing' }),
      says: /database "nothing" does not exist \(the database does not exist: create it, then run `counterfoil init`\)/,
    },
    {
      what: 'a role without any right',
      store: () => at('sound', { user: 'stranger' }),
      says: /role stranger has no right to schema sound of database postgres: run `counterfoil init --runtime-role stranger` as the schema's owner/,
    },
    {
      what: 'a role that may only read',
      serves: true,
      store: () => at('readable', { user: 'reader' }),
      says: /role reader lacks INSERT on journal, .*UPDATE on ownership.*: run `counterfoil init --runtime-role reader` as the schema's owner/,
      init: 'helps',
    },
    {
      what: 'a journal of an earlier version',
      store: () => at('older'),
      says: /schema older of database postgres was made by an earlier Counterfoil \(journal version \d+, this one needs \d+\): .*upgrade/,
    },
    {
      what: 'a journal of a newer version',
      store: () => at('newer'),
      says: /schema newer of database postgres was made by a newer Counterfoil \(journal version \d+, this one knows \d+\): run that version/,
    },
    {
      what: 'the standby alone',
      serves: true,
      store: () => at('sound', { host: `127.0.0.1:${cluster.standby?.port}` }),
      says: /this server is a standby: name the primary too|no server of the address takes writes: name the primary too/,
    },
    {
      what: "another program's schema",
      store: () => at('shop'),
      says: /schema shop of database postgres belongs to another program: give the address a schema of its own \(\?schema=NAME\)/,
    },
    {
      what: "another program's database",
      store: () => at('counterfoil', { database: 'shop' }),
      says: /schema counterfoil of database shop holds no journal: create it with `counterfoil init --store/,
      init: 'helps',
    },
  ];

  /** A webhook whose headers the daemon has read: a shutdown would close an idle connection. */
  async function deliveryUnderWay(daemon: Daemon): Promise<{ status: Promise<unknown> }> {
    const delivery = request(`${daemon.url}/hooks/${daemon.pathTokens[0]}`, {
      method: 'POST',
      headers: { expect: '100-continue' },
    });
    delivery.flushHeaders();
    await once(delivery, 'continue');
    const answered = once(delivery, 'response') as Promise<[IncomingMessage]>;
    delivery.end(webhook(1));
    return { status: answered.then(([answer]) => answer.resume().statusCode) };
  }

  function expectNoSecretAndNoStack(...texts: readonly string[]): void {
    for (const text of texts) {
      expect(text).not.toMatch(new RegExp(`${PASSWORD}|wrong-secret`));
      expect(text).not.toMatch(/^\s+at .+:\d+:\d+/m);
    }
  }

  test.each(rows)(
    'doctor and init refuse it plainly, and change nothing: $what',
    async ({ store, says, init }) => {
      const before = await contents();
      const { daemon } = await receiverOf(store(), 'a');
      const refusal = init === 'helps' ? null : (init ?? says);
      const [doctor, initialised] = await Promise.all([
        callProgram('doctor', '--config', daemon.configPath),
        refusal === null ? null : callProgram('init', '--store', store()),
      ]);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(new RegExp(`^PROBLEM .*(?:${says.source})`, 'm'));
      expect(initialised?.code ?? 1).toBe(1);
      expect(initialised?.stderr ?? 'not run').toMatch(refusal ?? /not run/);
      expectNoSecretAndNoStack(doctor.stdout + doctor.stderr, initialised?.stderr ?? '');
      expect(await contents()).toEqual(before);
    },
  );

  test.each(rows.filter(({ serves }) => serves))(
    'a receiver runs, says so in /readyz, takes nothing and changes nothing: $what',
    async ({ store, says }) => {
      const before = await contents();
      const receiver = await receiverOf(store(), 'a');
      const { daemon } = receiver;
      await receiver.start();
      const ready = await eventually('a cause in /readyz', async () => {
        const answer = await receiver.ready();
        return answer.receiver.cause === null ? undefined : answer;
      });
      expect(ready.status).toBe('journal-unavailable');
      expect(ready.receiver.role).toBe('cut_off');
      expect(ready.receiver.cause).toMatch(says);
      expect((await fetch(`${daemon.url}/readyz`)).status).toBe(503);
      const delivery = await deliveryUnderWay(daemon);
      // A delivery waits seconds for an owner; a shutdown answers it at once.
      expect(await daemon.end('SIGTERM')).toBe(0);
      expect(await delivery.status).toBe(503);
      const log = daemon.stderr();
      expectNoSecretAndNoStack(log, JSON.stringify(ready));
      // Once: it goes on trying, and a log that fills up would hide everything else.
      expect(log.match(/this receiver takes nothing now/g)).toHaveLength(1);
      expect(await contents()).toEqual(before);
    },
  );
});
