import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../e2e/program.ts';
import { serverUser } from '../../../src/commands/demo/postgres/installation.ts';
import { SUPERUSER } from '../../../src/commands/demo/postgres/server.ts';
import { PASSWORD, PostgresServer } from '../../postgres/server.ts';
import { Link } from './link.ts';

const NAMES = ['one', 'two'] as const;
export const DATABASE = 'postgres';

/** One of the two servers, and the link through which the other one follows it. */
export interface PairServer {
  readonly server: PostgresServer;
  readonly followers: Link;
}

/** A primary and its synchronous standby that change roles at each failover. */
export class Pair {
  readonly #folder = mkdtempSync(join(tmpdir(), 'counterfoil-failover-'));
  #servers: readonly [PairServer, PairServer] | undefined;
  #primary: 0 | 1 = 0;

  static async start(): Promise<Pair> {
    const pair = new Pair();
    try {
      await pair.#start();
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  get servers(): readonly [PairServer, PairServer] {
    if (this.#servers === undefined) throw new Error('the servers have not started');
    return this.#servers;
  }

  get primary(): PairServer {
    return this.servers[this.#primary];
  }

  get standby(): PairServer {
    return this.servers[this.#primary === 0 ? 1 : 0];
  }

  /** A session of the superuser, for the caller to end. */
  async connect({ server }: PairServer = this.primary): Promise<pg.Client> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      database: DATABASE,
      user: SUPERUSER,
      password: PASSWORD,
    });
    // A server that is killed ends the session; the statement then fails too.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs SQL as the superuser; on the primary by default. */
  async sql<Row extends object>(text: string, where: PairServer = this.primary): Promise<Row[]> {
    const client = await this.connect(where);
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Whether a commit waits for a standby, on both servers. */
  async setSynchronous(isSynchronous: boolean): Promise<void> {
    for (const server of this.servers) await this.#configure(server, isSynchronous);
  }

  /** Ends when the standby follows, synchronously if it is configured so. */
  standbyFollows(): Promise<void> {
    return this.#until(`SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming'
      AND sync_state = CASE current_setting('synchronous_standby_names') WHEN '' THEN 'async'
        ELSE 'sync' END) AS is`);
  }

  /** Promotes the standby of a primary that is dead. */
  async promote(): Promise<void> {
    await this.sql('SELECT pg_promote(true, 120)', this.standby);
    this.#primary = this.#primary === 0 ? 1 : 0;
  }

  /** Makes a new standby where the dead primary was. */
  async rebuildStandby(): Promise<void> {
    await this.standby.server.copy(this.primary.followers.port);
    await this.standby.server.start();
    await this.standbyFollows();
  }

  /**
   * Cancels waits for the standby, as an operator might; answers how many it cancelled. On the primary
   * by default.
   */
  async cancelWaits(where: PairServer = this.primary): Promise<number> {
    const cancelled = await this.sql(
      `WITH waiting AS MATERIALIZED
        (SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep')
      SELECT FROM waiting WHERE pg_cancel_backend(pid)`,
      where,
    );
    return cancelled.length;
  }

  async stop(): Promise<void> {
    for (const { server, followers } of this.#servers ?? []) {
      followers.close();
      await server.stop();
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { uid, gid } = serverUser();
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    const [one, two] = await Promise.all([this.#server('one'), this.#server('two')]);
    this.#servers = [one, two];
    await one.server.create();
    await one.server.start();
    // The copy has the same configuration.
    await this.#configure(one, true);
    await two.server.copy(one.followers.port);
    await two.server.start();
    await this.standbyFollows();
  }

  async #server(name: (typeof NAMES)[number]): Promise<PairServer> {
    const server = new PostgresServer(join(this.#folder, name), {
      cluster_name: name,
      // Its files go away with the folder of a server that was killed.
      dynamic_shared_memory_type: 'mmap',
      wal_retrieve_retry_interval: '100ms',
    });
    return { server, followers: await Link.listen(() => server.port) };
  }

  async #configure(server: PairServer, isSynchronous: boolean): Promise<void> {
    const names = isSynchronous ? `FIRST 1 (${NAMES.join(', ')})` : '';
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, server);
    await this.sql('SELECT pg_reload_conf()', server);
    await this.#until(
      `SELECT current_setting('synchronous_standby_names') = '${names}' AS is`,
      server,
    );
  }

  async #until(question: string, where: PairServer = this.primary): Promise<void> {
    await eventually(question, async () => {
      const [row] = await this.sql<{ is: boolean }>(question, where);
      return row?.is === true ? true : undefined;
    });
  }
}
