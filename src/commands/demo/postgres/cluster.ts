import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Environment } from '../../../ops/config/reading/substitution.ts';
import { serverUser } from './installation.ts';
import { PostgresPrograms } from './programs.ts';
import { PostgresServer, SUPERUSER } from './server.ts';

/** How long a standby may take to become the primary, seconds. */
const PROMOTION_SECONDS_MAX = 120;

/** One of the servers, under its name in `synchronous_standby_names`. */
export interface ClusterServer {
  readonly name: string;
  readonly server: PostgresServer;
}

/**
 * A primary and its standbys on loopback, in a temporary folder. A commit waits for one standby, so
 * that a failover loses nothing.
 */
export class PostgresCluster {
  /** The superuser's; other roles may have the same. */
  readonly password = randomBytes(24).toString('base64url');
  readonly servers: readonly ClusterServer[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'counterfoil-postgres-'));
  #primary: ClusterServer;
  readonly #leaveNothing = (): void => {
    for (const { server } of this.servers) server.abandon();
    // A server that ends may still write.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };

  /** The first name is the primary's. Throws where PostgreSQL is not installed. */
  constructor(names: readonly [string, ...string[]], environment: Environment) {
    const programs = new PostgresPrograms(environment);
    const { uid, gid } = serverUser();
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    const settings = {
      synchronous_standby_names: `ANY 1 (${names.join(', ')})`,
      // The standbys follow a new primary at once; PostgreSQL's default is five seconds.
      wal_retrieve_retry_interval: '200ms',
      // A standby finds what it lacks in the log of the new primary.
      wal_keep_size: '128MB',
      // Its files go away with the folder of a server that was killed.
      dynamic_shared_memory_type: 'mmap',
    };
    const serverOf = (name: string): ClusterServer => ({
      name,
      server: new PostgresServer({
        folder: join(this.#folder, name),
        password: this.password,
        programs,
        settings: { ...settings, cluster_name: name },
      }),
    });
    const [first, ...others] = names;
    this.#primary = serverOf(first);
    this.servers = [this.#primary, ...others.map(serverOf)];
    process.once('exit', this.#leaveNothing);
  }

  get primary(): ClusterServer {
    return this.#primary;
  }

  /** The servers that are not the primary, whether they run or not. */
  get standbys(): readonly ClusterServer[] {
    return this.servers.filter((server) => server !== this.#primary);
  }

  async start(): Promise<void> {
    try {
      await this.#primary.server.create();
      await this.#primary.server.start();
      await Promise.all(this.standbys.map((standby) => this.renew(standby)));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Makes a server that does not run a standby of the primary, with a new copy of its data. */
  async renew({ server }: ClusterServer): Promise<void> {
    await server.copy(this.#primary.server.port);
    await server.start();
  }

  /**
   * After the primary's end: the standby that has received most becomes the primary, and the others
   * follow it. A commit may have waited for one standby alone, so another one might lack it.
   */
  async promote(): Promise<void> {
    const standbys = this.standbys.filter(({ server }) => server.isRunning);
    const received = await Promise.all(standbys.map((standby) => this.#receivedBy(standby)));
    const { standby: chosen } = received.reduce((left, right) =>
      right.bytes > left.bytes ? right : left,
    );
    await this.sql(`SELECT pg_promote(true, ${PROMOTION_SECONDS_MAX})`, chosen);
    this.#primary = chosen;
    const source = chosen.server.sourceAt(chosen.server.port);
    for (const other of standbys) {
      if (other === chosen) continue;
      await this.sql(`ALTER SYSTEM SET primary_conninfo = '${source}'`, other);
      await this.sql('SELECT pg_reload_conf()', other);
    }
  }

  async #receivedBy(
    standby: ClusterServer,
  ): Promise<{ readonly standby: ClusterServer; readonly bytes: bigint }> {
    const [row] = await this.sql<{ bytes: string }>(
      `SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')
        ::text AS bytes`,
      standby,
    );
    if (row === undefined) throw new Error('a standby knows how much it has received');
    return { standby, bytes: BigInt(row.bytes) };
  }

  /** The address of the database `postgres` over all servers, the primary first. */
  url(user = SUPERUSER): string {
    const hosts = [this.#primary, ...this.standbys].map(({ server }) => `127.0.0.1:${server.port}`);
    return `postgres://${user}:${this.password}@${hosts.join(',')}/postgres`;
  }

  /** Runs SQL as the superuser; on the primary by default. */
  async sql<Row extends object>(
    text: string,
    { server }: ClusterServer = this.#primary,
  ): Promise<Row[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      database: 'postgres',
      user: SUPERUSER,
      password: this.password,
    });
    // A server that is killed ends the session; the statement then fails too.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the servers and removes their folder. */
  async stop(): Promise<void> {
    await Promise.all(this.servers.map(({ server }) => server.stop()));
    this.#leaveNothing();
    process.off('exit', this.#leaveNothing);
  }
}
