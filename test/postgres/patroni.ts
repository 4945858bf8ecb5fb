import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { REPOSITORY } from '../house/source.ts';
import { freePort } from '../e2e/program.ts';
import { postgresPrograms, serverUser } from '../../src/commands/demo/postgres/installation.ts';

const EXAMPLE = join(REPOSITORY, 'config/receivers/patroni.yml');

/** The example's addresses of the two machines, and what is theirs alone. */
const NAMES = ['db1', 'db2'] as const;
type Name = (typeof NAMES)[number];
const PASSWORD = 'open-sesame';
const POLL_MS = 100;

/** Whether Patroni, etcd and PostgreSQL are installed. */
export function isPatroniInstalled(): boolean {
  const programs = ['/usr/bin/patroni', '/usr/bin/etcd'];
  return programs.every((path) => existsSync(path)) && postgresPrograms(process.env) !== undefined;
}

interface Ports {
  readonly database: number;
  readonly rest: number;
}

/** A started process, whose children are in its own process group or a session of their own. */
interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
}

function start(program: string, args: readonly string[], environment: object = {}): Started {
  const child = spawn(program, [...args], {
    ...serverUser(),
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (text: string): void => {
    said = (said + text).slice(-20_000);
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  return { child, said: () => said };
}

/** Makes a folder of the servers' user, unless it is there. */
function makeOwn(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
}

/** Ends a process and waits for it; a process that has ended already is left alone. */
async function end({ child }: Started, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** The example, on loopback: every text that a test replaces must be there. */
function configOf(
  name: Name,
  own: Ports,
  { folder, etcd }: { readonly folder: string; readonly etcd: number },
): string {
  const programs = postgresPrograms(process.env) ?? '';
  const swaps: readonly (readonly [RegExp, string])[] = [
    [/^name: db1$/m, `name: ${name}`],
    [/10\.0\.0\.11:8008/g, `127.0.0.1:${own.rest}`],
    [/hosts: 10\.0\.0\.11:2379,10\.0\.0\.12:2379,10\.0\.0\.13:2379/, `hosts: 127.0.0.1:${etcd}`],
    [/10\.0\.0\.11:5432/g, `127.0.0.1:${own.database}`],
    [/\/var\/lib\/postgresql\/counterfoil/, join(folder, name)],
    [/\/usr\/lib\/postgresql\/15\/bin/, programs],
    [/unix_socket_directories: \/var\/run\/postgresql/, `unix_socket_directories: ${folder}`],
    // TLS needs certificates, and a watchdog would reset this machine.
    [/ssl: "on"/, 'ssl: "off"'],
    [/^ +ssl_(?:cert|key)_file: .*\n/gm, ''],
    [/hostssl/g, 'host'],
    [/10\.0\.0\.0\/24/g, '127.0.0.1/32'],
    [/mode: required/, 'mode: off'],
  ];
  return swaps.reduce(
    (text, [from, to]) => {
      if (text.search(from) < 0)
        throw new Error(`config/receivers/patroni.yml has no ${String(from)}`);
      return text.replace(from, to);
    },
    readFileSync(EXAMPLE, 'utf8'),
  );
}

/** Two PostgreSQL servers under Patroni, with one etcd, on loopback in a temporary folder. */
export class PatroniPair {
  readonly #folder: string;
  readonly #ports: Readonly<Record<Name, Ports>>;
  readonly #etcdPorts: readonly [client: number, peer: number];
  readonly #running = new Map<Name, Started>();
  #etcd: Started | undefined;

  private constructor(
    folder: string,
    ports: Readonly<Record<Name, Ports>>,
    etcdPorts: readonly [number, number],
  ) {
    this.#folder = folder;
    this.#ports = ports;
    this.#etcdPorts = etcdPorts;
  }

  /** Starts both; resolves when one is the primary and the other its synchronous standby. */
  static async start(): Promise<PatroniPair> {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-patroni-'));
    const { uid, gid } = serverUser();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const portsOf = async (): Promise<Ports> => ({
      database: await freePort(),
      rest: await freePort(),
    });
    const ports = { db1: await portsOf(), db2: await portsOf() };
    const pair = new PatroniPair(folder, ports, [await freePort(), await freePort()]);
    try {
      await pair.#startAll();
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  /** The address of a database over both servers. */
  url(database: string, parameters = ''): string {
    const hosts = NAMES.map((name) => `127.0.0.1:${this.#ports[name].database}`).join(',');
    return `postgres://postgres:${PASSWORD}@${hosts}/${database}${parameters}`;
  }

  /** The server that Patroni says is the primary; undefined while there is none. */
  async primary(): Promise<Name | undefined> {
    for (const name of NAMES) if (await this.#answers(name, '/primary')) return name;
    return undefined;
  }

  /** Ends a server's machine as a crash would: Patroni, PostgreSQL and its processes. */
  async killMachine(name: Name): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    if (running === undefined) throw new Error(`${name} does not run`);
    const postmaster = this.#postmasterOf(name);
    await end(running, 'SIGKILL');
    if (postmaster !== undefined) this.#killPostgres(postmaster);
  }

  /** Starts the machine again; Patroni makes its server follow the other one. */
  startMachine(name: Name): void {
    const file = join(this.#folder, `${name}.yml`);
    // Patroni keeps a password file at home.
    const home = join(this.#folder, `${name}-home`);
    makeOwn(home);
    const environment = {
      HOME: home,
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
      PATRONI_REWIND_PASSWORD: PASSWORD,
    };
    this.#running.set(name, start('/usr/bin/patroni', [file], environment));
  }

  async sql<Row extends object>(text: string, name: Name): Promise<Row[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.#ports[name].database,
      user: 'postgres',
      password: PASSWORD,
      database: 'postgres',
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Resolves when the primary has a synchronous standby. */
  async hasStandby(): Promise<void> {
    await this.#until('a synchronous standby', async () => {
      const primary = await this.primary();
      if (primary === undefined) return false;
      const rows = await this.sql(
        "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'",
        primary,
      );
      return rows.length > 0;
    });
  }

  async stop(): Promise<void> {
    for (const name of this.#running.keys()) await this.killMachine(name);
    if (this.#etcd !== undefined) await end(this.#etcd, 'SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startAll(): Promise<void> {
    const [client, peer] = this.#etcdPorts;
    const data = join(this.#folder, 'etcd');
    mkdirSync(data, { mode: 0o700 });
    const { uid, gid } = serverUser();
    if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
    const [here, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const flags = {
      'data-dir': data,
      name: 'etcd1',
      'listen-client-urls': here,
      'advertise-client-urls': here,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': `etcd1=${peers}`,
    };
    this.#etcd = start(
      '/usr/bin/etcd',
      Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    );
    for (const name of NAMES) {
      const shared = { folder: this.#folder, etcd: client };
      writeFileSync(join(this.#folder, `${name}.yml`), configOf(name, this.#ports[name], shared));
    }
    this.startMachine('db1');
    await this.#until('a first primary', async () => (await this.primary()) === 'db1');
    this.startMachine('db2');
    await this.hasStandby();
  }

  async #answers(name: Name, path: string): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#ports[name].rest}${path}`)).ok;
    } catch {
      return false;
    }
  }

  #postmasterOf(name: Name): number | undefined {
    try {
      return Number(
        readFileSync(join(this.#folder, name, 'postmaster.pid'), 'utf8').split('\n')[0],
      );
    } catch {
      return undefined;
    }
  }

  /** PostgreSQL's processes end by themselves when their first one is gone. */
  #killPostgres(postmaster: number): void {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], {
      encoding: 'utf8',
    });
    for (const pid of [postmaster, ...children.split(/\s+/).filter(Boolean).map(Number)]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (;;) {
      if (await isSo()) return;
      for (const [name, { child, said }] of this.#running) {
        if (child.exitCode !== null) throw new Error(`${name} ended before ${what}:\n${said()}`);
      }
      await sleep(POLL_MS);
    }
  }
}
