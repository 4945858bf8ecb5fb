import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../house/source.ts';
import { collect } from '../../e2e/program.ts';
import { serverUser } from '../../../src/commands/demo/postgres/installation.ts';

/** As text, because the servers' user may not read the repository. */
const SCRIPT = readFileSync(join(REPOSITORY, 'test/postgres/patroni/machine.py'), 'utf8');

/** Debian's, which has the packages of Patroni. */
const PYTHON = '/usr/bin/python3';

/** Running programs that lose their power together; none outlives the test. */
export class Machine {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  /** What the programs have said so far. */
  readonly said: () => string;

  constructor(
    programs: readonly (readonly string[])[],
    environment: Readonly<Record<string, string>>,
  ) {
    const child = spawn(PYTHON, ['-c', SCRIPT, JSON.stringify(programs)], {
      ...serverUser(),
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C', ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A Ctrl-C at the tests must not end this process before those that it kills.
      detached: true,
    });
    const said = [collect(child.stdout), collect(child.stderr)];
    this.said = () => said.map((text) => text()).join('');
    this.#ended = once(child, 'exit');
    this.#child = child;
  }

  /** Kills one of the programs; the others go on. */
  kill(program: string): void {
    const flags = ['--parent', `${this.#child.pid}`, '--exact', program];
    process.kill(Number(execFileSync('pgrep', flags, { encoding: 'utf8' })), 'SIGKILL');
  }

  /** Kills every process, and resolves when none is left. */
  async losePower(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
