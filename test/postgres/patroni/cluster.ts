import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '../../e2e/program.ts';
import { postgresPrograms, serverUser } from '../../../src/commands/demo/postgres/installation.ts';
import { ADDRESSES, etcdOf, patroniOf, type Database, type MachineName } from './example.ts';
import { Machine } from './machine.ts';

const NAMES = ['db1', 'db2', 'witness'] as const;
const DATABASES = ['db1', 'db2'] as const;

export const PASSWORD = 'open-sesame';

/** Whether Patroni, etcd and PostgreSQL are installed. */
export function isPatroniInstalled(): boolean {
  const programs = ['/usr/bin/patroni', '/usr/bin/etcd'];
  return programs.every((path) => existsSync(path)) && postgresPrograms(process.env) !== undefined;
}

/** Lets the servers' user have a file or folder. */
function giveAway(path: string): void {
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/**
 * The machines of the guide that hold the journal, on loopback in a temporary folder: etcd on three,
 * PostgreSQL under Patroni on two of them, with the files that the guide gives.
 */
export class PatroniCluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'counterfoil-patroni-'));
  readonly #ports = new Map<string, number>();
  readonly #running = new Map<MachineName, Machine>();

  /**
   * Starts all; resolves when one database is the primary and the other its synchronous standby.
   * `certificates` is a folder with NAME.crt and NAME.key of each database.
   */
  static async start(certificates: string): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    try {
      await cluster.#prepare(certificates);
      for (const name of NAMES) cluster.switchOn(name);
      await cluster.#until('a server follows', async () => (await cluster.standby()) !== undefined);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const machine of this.#running.values()) await machine.losePower();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The port on loopback of a database's PostgreSQL. */
  databasePort(name: Database): number {
    return this.#port(`${ADDRESSES[name]}:5432`);
  }

  /** The database that Patroni says is the primary; undefined while there is none. */
  async primary(): Promise<Database | undefined> {
    return this.#which('/primary');
  }

  /** The database that may be promoted: the primary waits for it with every commit. */
  async standby(): Promise<Database | undefined> {
    return this.#which('/synchronous');
  }

  /** Resolves when a database is the primary. */
  async leads(name: Database): Promise<void> {
    await this.#until(`${name} leads`, async () => (await this.primary()) === name);
  }

  /** Resolves when a database is the standby that may be promoted. */
  async follows(name: Database): Promise<void> {
    await this.#until(`${name} follows`, async () => (await this.standby()) === name);
  }

  /** Ends every process of a machine as a loss of power does. */
  async switchOff(name: MachineName): Promise<void> {
    await this.#running.get(name)?.losePower();
    this.#running.delete(name);
  }

  switchOn(name: MachineName): void {
    const patroni = ['/usr/bin/patroni', this.#configOf(name)];
    const programs = [['/usr/bin/etcd'], ...(name === 'witness' ? [] : [patroni])];
    const environment = {
      // Patroni keeps a password file at home.
      HOME: join(this.#folder, name),
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
      PATRONI_REWIND_PASSWORD: PASSWORD,
      ...etcdOf(name, this.#setup),
    };
    this.#running.set(name, new Machine(programs, environment));
  }

  /** Kills one program of a machine; the others go on. */
  kill(program: 'etcd' | 'postgres', name: MachineName): void {
    this.#running.get(name)?.kill(program);
  }

  /** What `patronictl list` prints. */
  list(): string {
    const flags = ['-c', this.#configOf('db1'), 'list'];
    return execFileSync('/usr/bin/patronictl', flags, { encoding: 'utf8' });
  }

  get #setup() {
    const programs = postgresPrograms(process.env) ?? '';
    return { folder: this.#folder, ports: this.#ports, programs };
  }

  async #prepare(certificates: string): Promise<void> {
    giveAway(this.#folder);
    for (const name of NAMES) {
      const [etcd, database] = [await freePort(), await freePort()];
      const own = { 2379: etcd, 2380: etcd + 1, 5432: database, 8008: database + 1 };
      for (const [port, here] of Object.entries(own)) {
        this.#ports.set(`${ADDRESSES[name]}:${port}`, here);
      }
      mkdirSync(join(this.#folder, name), { mode: 0o700 });
      giveAway(join(this.#folder, name));
    }
    for (const name of DATABASES) {
      writeFileSync(this.#configOf(name), patroniOf(name, this.#setup));
      for (const kind of ['crt', 'key']) {
        const copy = join(this.#folder, name, `server.${kind}`);
        copyFileSync(join(certificates, `${name}.${kind}`), copy);
        chmodSync(copy, 0o600);
        giveAway(copy);
      }
    }
  }

  #configOf(name: MachineName): string {
    return join(this.#folder, `${name}.yml`);
  }

  #port(address: string): number {
    const port = this.#ports.get(address);
    if (port === undefined) throw new Error(`no machine has ${address}`);
    return port;
  }

  /** The database whose Patroni answers 200 to a path. */
  async #which(path: string): Promise<Database | undefined> {
    for (const name of DATABASES) {
      const url = `http://127.0.0.1:${this.#port(`${ADDRESSES[name]}:8008`)}${path}`;
      const isOk = await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isOk) return name;
    }
    return undefined;
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    try {
      await eventually(what, async () => ((await isSo()) ? true : undefined));
    } catch (error) {
      const said = [...this.#running].map(
        ([name, machine]) => `${name}: ${machine.said().slice(-8_000)}`,
      );
      throw new Error(`not so: ${what}\n${said.join('\n')}`, { cause: error });
    }
  }
}
