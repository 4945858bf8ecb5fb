import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serverUser } from '../../src/commands/demo/postgres/installation.ts';
import { SUPERUSER } from '../../src/commands/demo/postgres/server.ts';
import { PASSWORD, PostgresServer } from './server.ts';

const STANDBY = 'standby';
/** A standby of the promoted one. */
const ADDED = 'added';

/** Whether a standby follows, synchronously if it is configured so. */
const FOLLOWS = `SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming'
  AND sync_state = CASE current_setting('synchronous_standby_names') WHEN '' THEN 'async'
    ELSE 'sync' END) AS is`;

/** The pause between two queries of a state for which PostgreSQL sends no event. */
const POLL_MS = 20;

/** A primary, and a synchronous standby if one was asked for, in a temporary folder. */
export interface PostgresCluster {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer | undefined;
  /** The address of a database over all servers of the cluster, the primary first. */
  url(database: string, parameters?: string): string;
  /** Runs SQL as the superuser on one of the servers; the primary by default. */
  sql<Row extends object>(
    text: string,
    where?: { readonly server?: PostgresServer; readonly database?: string },
  ): Promise<Row[]>;
  /** A session of the superuser, for the caller to end. */
  connect(where?: {
    readonly server?: PostgresServer;
    readonly database?: string;
  }): Promise<pg.Client>;
  /** Whether a commit waits for the standby. */
  setSynchronous(isSynchronous: boolean): Promise<void>;
  /** Ends when the standby follows, synchronously if it is configured so. */
  standbyFollows(): Promise<void>;
  promoteStandby(): Promise<void>;
  /** Starts a synchronous standby of the promoted one; it ends with the cluster. */
  addStandby(): Promise<void>;
  /** Ends the servers and removes their folder. */
  stop(): Promise<void>;
}

/** Starts PostgreSQL on loopback; `settings` are those of postgresql.conf. Throws where it is not installed. */
export async function startPostgres({
  standby: hasStandby,
  settings = {},
}: {
  readonly standby: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-postgres-'));
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const cluster = new Cluster(folder, hasStandby, settings);
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

class Cluster implements PostgresCluster {
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly primary: PostgresServer;
  readonly standby: PostgresServer | undefined;
  #added: PostgresServer | undefined;

  constructor(folder: string, hasStandby: boolean, settings: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#settings = settings;
    this.primary = new PostgresServer(join(folder, 'primary'), settings);
    this.standby = hasStandby
      ? new PostgresServer(join(folder, STANDBY), { ...settings, cluster_name: STANDBY })
      : undefined;
  }

  async start(): Promise<void> {
    await this.primary.create();
    await this.primary.start();
    if (this.standby === undefined) return;
    await this.standby.copy(this.primary.port);
    await this.standby.start();
    await this.setSynchronous(true);
    await this.standbyFollows();
  }

  url(database: string, parameters = ''): string {
    const servers = this.standby === undefined ? [this.primary] : [this.primary, this.standby];
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://${SUPERUSER}:${PASSWORD}@${hosts}/${database}${parameters}`;
  }

  async connect({
    server = this.primary,
    database = 'postgres',
  }: { readonly server?: PostgresServer; readonly database?: string } = {}): Promise<pg.Client> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      database,
      user: SUPERUSER,
      password: PASSWORD,
    });
    // A server that is killed ends the session; the statement then fails too.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async sql<Row extends object>(
    text: string,
    where?: { readonly server?: PostgresServer; readonly database?: string },
  ): Promise<Row[]> {
    const client = await this.connect(where);
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async setSynchronous(isSynchronous: boolean): Promise<void> {
    await this.#waitFor(isSynchronous ? STANDBY : '', this.primary);
  }

  async standbyFollows(): Promise<void> {
    await this.#until(FOLLOWS, this.primary);
  }

  async promoteStandby(): Promise<void> {
    if (this.standby === undefined) throw new Error('there is no standby');
    await this.sql('SELECT pg_promote(true, 120)', { server: this.standby });
  }

  async addStandby(): Promise<void> {
    if (this.standby === undefined) throw new Error('there is no standby');
    const folder = join(this.#folder, ADDED);
    this.#added = new PostgresServer(folder, { ...this.#settings, cluster_name: ADDED });
    await this.#added.copy(this.standby.port);
    await this.#added.start();
    await this.#waitFor(ADDED, this.standby);
    await this.#until(FOLLOWS, this.standby);
  }

  async stop(): Promise<void> {
    await this.#added?.stop();
    await this.standby?.stop();
    await this.primary.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Makes the commits of a server wait for a standby; an empty name: for none. */
  async #waitFor(name: string, server: PostgresServer): Promise<void> {
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`, { server });
    await this.sql('SELECT pg_reload_conf()', { server });
    const names = `SELECT current_setting('synchronous_standby_names') = '${name}' AS is`;
    await this.#until(names, server);
  }

  async #until(question: string, server: PostgresServer): Promise<void> {
    for (;;) {
      const [row] = await this.sql<{ is: boolean }>(question, { server });
      if (row?.is === true) return;
      await sleep(POLL_MS);
    }
  }
}
