import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../ops/config/reading/substitution.ts';
import { NOT_INSTALLED, postgresPrograms, serverUser } from './installation.ts';

/** PostgreSQL's programs on this machine, run as the user of the servers. */
export class PostgresPrograms {
  readonly #folder: string;
  readonly #options;

  /** Throws where PostgreSQL is not installed. */
  constructor(environment: Environment) {
    const folder = postgresPrograms(environment);
    if (folder === undefined) throw new Error(NOT_INSTALLED);
    this.#folder = folder;
    // Messages are read, so they are not translated.
    this.#options = { ...serverUser(), cwd: '/', env: { ...environment, LC_ALL: 'C' } };
  }

  /** Runs a program to its end. Throws with its messages when it fails. */
  async run(name: string, ...args: readonly string[]): Promise<void> {
    const running = promisify(execFile)(join(this.#folder, name), [...args], this.#options);
    const kill = (): void => void running.child.kill('SIGKILL');
    process.once('exit', kill);
    try {
      await running;
    } finally {
      process.off('exit', kill);
    }
  }

  /** Starts a server. A terminal's Ctrl-C does not reach it: its owner ends it in order. */
  spawnServer(args: readonly string[]): ChildProcess {
    return spawn(join(this.#folder, 'postgres'), [...args], {
      ...this.#options,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
  }
}
