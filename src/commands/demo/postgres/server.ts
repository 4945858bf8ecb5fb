import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.ts';
import type { PostgresPrograms } from './programs.ts';

export const SUPERUSER = 'admin';

const READY = /ready to accept (?:read-only )?connections/;
const IN_USE = /could not bind|could not create any TCP/;
const PORTS_TRIED_MAX = 5;

/** Most lines kept of what a server says before it is ready. */
const LINES_MAX = 200;

/** Linux lists all processes here. */
const PROCESSES = '/proc';

/** One PostgreSQL server on loopback, over a data folder. */
export class PostgresServer {
  readonly folder: string;
  /** The superuser's. */
  readonly password: string;
  readonly #programs: PostgresPrograms;
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #port = 0;

  /** `settings` are those of postgresql.conf. */
  constructor(options: {
    readonly folder: string;
    readonly password: string;
    readonly programs: PostgresPrograms;
    readonly settings: Readonly<Record<string, string>>;
  }) {
    this.folder = options.folder;
    this.password = options.password;
    this.#programs = options.programs;
    this.#settings = options.settings;
  }

  get port(): number {
    return this.#port;
  }

  /** The process that started all others of the server; undefined while it does not run. */
  get pid(): number | undefined {
    return this.isRunning ? this.#process?.pid : undefined;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Makes the data folder of a new cluster. */
  async create(): Promise<void> {
    const passwordFile = `${this.folder}.password`;
    writeFileSync(passwordFile, this.password);
    await this.#programs.run(
      'initdb',
      `--pgdata=${this.folder}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    );
  }

  /** Replaces the data folder by a copy of the server on a port, which this one then follows. */
  async copy(port: number): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await this.#programs.run(
      'pg_basebackup',
      `--dbname=${this.sourceAt(port)}`,
      `--pgdata=${this.folder}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    );
  }

  /** The address from which a standby copies, as libpq writes it. */
  sourceAt(port: number): string {
    return `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${this.password}`;
  }

  /** Starts the server; ends when it takes connections. It keeps its port over restarts. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#port === 0) this.#port = await freePort();
      const failure = await this.#startOn(this.#port);
      if (failure === undefined) return;
      if (!IN_USE.test(failure) || attempt === PORTS_TRIED_MAX) throw new Error(failure);
      this.#port = 0;
    }
  }

  /** What the server said when it ended instead of taking connections; undefined once it does. */
  async #startOn(port: number): Promise<string | undefined> {
    const settings = { ...this.#settings, port: String(port), listen_addresses: '127.0.0.1' };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const socketless = ['-c', 'unix_socket_directories='];
    const child = this.#programs.spawnServer(['-D', this.folder, ...socketless, ...flags]);
    this.#process = child;
    const said: string[] = [];
    if (child.stderr === null) throw new Error('a server has a standard error');
    const lines = createInterface({ input: child.stderr });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      lines.on('line', (line) => {
        if (said.length < LINES_MAX) said.push(line);
        if (READY.test(line)) resolve(undefined);
      });
      lines.once('close', () => resolve(said.join('\n')));
    });
  }

  /** Ends every process of the server as a crash would: nothing is written or sent any more. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended();
  }

  /** Ends the server and its sessions; recovery comes with the next start. */
  async stop(): Promise<void> {
    this.abandon();
    await this.#ended();
  }

  /** Tells the server to end, without waiting for it. */
  abandon(): void {
    if (this.isRunning) this.#process?.kill('SIGQUIT');
  }

  /** Sends a signal to every process of the server. */
  signal(name: NodeJS.Signals): void {
    const { pid } = this;
    if (pid === undefined) return;
    // PostgreSQL's processes are no process group: each has a session of its own.
    for (const one of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(one, name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async #ended(): Promise<void> {
    if (this.#process !== undefined && this.isRunning) await once(this.#process, 'exit');
  }
}

/** Processes by their parent. Elsewhere than on Linux they end by themselves after their parent. */
function childrenOf(parent: number): number[] {
  if (!existsSync(PROCESSES)) return [];
  const pids = readdirSync(PROCESSES).filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    const status = readFileSync(`${PROCESSES}/${pid}/stat`, 'utf8');
    // The second field, a name in parentheses, may hold anything.
    const [, rest = ''] = /\) \S (\d+)/.exec(status) ?? [];
    return Number(rest);
  } catch {
    return undefined;
  }
}
