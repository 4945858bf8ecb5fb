import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  NOT_INSTALLED,
  postgresPrograms,
  serverUser,
} from '../../src/commands/demo/postgres/installation.ts';
import { startPostgres, type PostgresCluster } from '../postgres/cluster.ts';
import { PASSWORD } from '../postgres/server.ts';
import { OpenLedger, SIX_DEEP } from '../store/open-ledger.ts';
import { removeFolder, serverFolder } from '../store/postgres/backup/database-copy.ts';
import { Service } from '../store/webhook.ts';
import { freePort } from '../e2e/program.ts';
import { Reader } from './reading/reader.ts';

/** The roles that the pages name, but that of the receivers, which one of them creates. */
const ROLES = [
  'CREATE ROLE postgres SUPERUSER LOGIN',
  'CREATE ROLE counterfoil_owner LOGIN',
  'CREATE ROLE owner LOGIN',
  'CREATE ROLE backup LOGIN REPLICATION',
  'CREATE ROLE receivers LOGIN IN ROLE pg_monitor',
];

/** The files of passwords that the pages name. */
const PASSWORD_FILES = ['owner.password', 'counterfoil.password'];

/** A primary and its synchronous standby in the place of the servers that the pages name. */
export class Books {
  readonly #cluster: PostgresCluster;
  readonly #programs: string;
  /** In the place of `/backups` and `/tmp`; PostgreSQL's user may write to it. */
  readonly #folder = serverFolder('backups');

  private constructor(cluster: PostgresCluster, programs: string) {
    this.#cluster = cluster;
    this.#programs = programs;
  }

  /** Throws where PostgreSQL is not installed. */
  static async start(): Promise<Books> {
    const programs = postgresPrograms(process.env);
    if (programs === undefined) throw new Error(NOT_INSTALLED);
    const books = new Books(await startPostgres({ standby: true }), programs);
    for (const role of ROLES) await books.#sql(`${role} PASSWORD '${PASSWORD}'`);
    return books;
  }

  async stop(): Promise<void> {
    await this.#cluster.stop();
    removeFolder(this.#folder);
  }

  /** A reader who has the passwords, and a store `a.db` and a copy of it; the caller lets him leave. */
  async reader(): Promise<Reader> {
    const reader = await Reader.create({
      PATH: `${process.env['PATH']}:${this.#programs}`,
      PGPASSWORD: PASSWORD,
      DATABASE_PASSWORD: PASSWORD,
    });
    for (const name of PASSWORD_FILES) reader.save(name, PASSWORD);
    reader.offer('pg_ctl', pgCtl(this.#programs));
    for (const name of ['a.db', 'store.db']) {
      const open = new OpenLedger(join(reader.folder, name));
      await open.setPolicy(SIX_DEEP);
      await open.deliver(new Service().confirmed(6));
      open.close();
    }
    return reader;
  }

  /** Removes the database `books` and the receivers' role, which some pages create themselves. */
  async remove(): Promise<void> {
    await this.#sql('DROP DATABASE IF EXISTS books WITH (FORCE)');
    await this.#sql('DROP ROLE IF EXISTS counterfoil');
  }

  /** A new database `books`, as a page finds it whose reader has created database and roles. */
  async create(): Promise<void> {
    await this.remove();
    await this.#sql(`CREATE ROLE counterfoil LOGIN PASSWORD '${PASSWORD}'`);
    await this.#sql('CREATE DATABASE books OWNER counterfoil_owner');
    await this.#sql('GRANT CREATE ON DATABASE books TO owner');
  }

  /** Lets the receivers' role see the standby's position. */
  async letReceiversSee(): Promise<void> {
    await this.#sql('GRANT pg_monitor TO counterfoil');
  }

  /** Ends the server over a restored backup, where a page's commands failed before they ended it. */
  stopRestored(reader: Reader): void {
    const data = join(this.#folder, 'restored');
    if (!existsSync(join(data, 'postmaster.pid'))) return;
    reader.call('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
  }

  /** What a page's commands name, and what stands in its place. */
  async swaps(): Promise<[string, string][]> {
    const { primary, standby } = this.#cluster;
    const ports = [primary.port, standby?.port];
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const both = `host=127.0.0.1,127.0.0.1 port=${ports.join(',')} `;
    const options = '-c archive_mode=off -c unix_socket_directories= -c listen_addresses=127.0.0.1';
    return [
      ['host=db1,db2 ', both],
      ['host=10.0.0.11,10.0.0.12 ', both],
      ['host=db1 ', `host=127.0.0.1 port=${primary.port} `],
      ['@db1/', `@127.0.0.1:${primary.port}/`],
      ['db1,db2', hosts],
      ['10.0.0.11,10.0.0.12', hosts],
      ['127.0.0.1:37749,127.0.0.1:39001', hosts],
      ["PASSWORD '…'", `PASSWORD '${PASSWORD}'`],
      // The servers of a test have no TLS.
      ['?sslrootcert=/etc/counterfoil/database-ca.pem', ''],
      ['/backups/', `${this.#folder}/backups/`],
      ['/tmp/restored', `${this.#folder}/restored`],
      ['-c archive_mode=off', options],
      ['5433', `${await freePort()}`],
    ];
  }

  #sql(text: string): Promise<object[]> {
    return this.#cluster.sql(text);
  }
}

/**
 * `pg_ctl -D FOLDER …` over a data folder that the reader has copied, as the servers' user. The server
 * has a log of its own: otherwise it would hold the reader's output open.
 */
function pgCtl(programs: string): string {
  const { uid, gid } = serverUser();
  const program = join(programs, 'pg_ctl');
  if (uid === undefined) return `#!/bin/bash\nexec '${program}' "$@" -l "$2.log"\n`;
  return `#!/bin/bash
cd /
chown -R ${uid}:${gid} "$2"
exec setpriv --reuid=${uid} --regid=${gid} --clear-groups '${program}' "$@" -l "$2.log"
`;
}
