import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, freePort, MAIN } from '../../e2e/program.ts';
import { REPOSITORY } from '../../house/source.ts';
import { jsonDifferences, missingLines } from './output.ts';
import { blocksOf, isCommand, type Block, type Page } from './page.ts';

/** Begins the output of a block; no program prints it. */
const MARK = '\u{1e}';

/** A daemon as an operator's service manager runs it: the folder, the environment, one pid file. */
const SYSTEMCTL = `#!/bin/bash
set -euo pipefail
cd "$READER_FOLDER"
stop() {
  [ -f serve.pid ] || return 0
  kill "$(cat serve.pid)" 2>/dev/null || true
  while kill -0 "$(cat serve.pid)" 2>/dev/null; do sleep 0.05; done
  rm serve.pid
}
start() {
  set -a; . ./settings.env; set +a
  counterfoil serve --config config.json >>serve.log 2>&1 &
  echo $! >serve.pid
  until curl -so /dev/null "http://127.0.0.1:$READER_PORT/healthz"; do
    kill -0 "$(cat serve.pid)" || { tail serve.log >&2; exit 1; }
    sleep 0.05
  done
}
case "$1" in
  stop) stop ;;
  start) start ;;
  restart) stop; start ;;
  enable) if [ "$2" = --now ]; then start; fi ;;
  daemon-reload) ;;
  *) echo "systemctl $1 is not known here" >&2; exit 2 ;;
esac
`;

const SUDO = '#!/bin/bash\nexec "$@"\n';

/** Programs that run until they are stopped; each runs in a terminal of its own. */
const STAYS = /^counterfoil (?<name>serve|core) .*[^&\n]$/m;

/** Programs that the page itself sends to the background. */
const JOB = /^\S.* &$/gm;

/**
 * Kills a process that was started in this folder, if it still runs. Its number alone does not name
 * it: the system gives the number of a process that has ended to another one, a test's perhaps.
 */
function killIn(folder: string, pid: number): void {
  try {
    const isLinux = process.platform === 'linux';
    if (isLinux && !readlinkSync(`/proc/${pid}/cwd`).startsWith(realpathSync(folder))) return;
    process.kill(pid, 'SIGKILL');
  } catch {
    // The program has ended by itself.
  }
}

/** Someone who reads pages and types every command, in one folder, on ports of their own. */
export class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-reader-'));
  readonly port: number;
  readonly corePort: number;
  readonly #programs = mkdtempSync(join(tmpdir(), 'counterfoil-programs-'));

  readonly #variables: Readonly<Record<string, string>>;

  private constructor(port: number, corePort: number, variables: Record<string, string>) {
    this.port = port;
    this.corePort = corePort;
    this.#variables = variables;
    symlinkSync(MAIN, join(this.#programs, 'counterfoil'));
    this.offer('systemctl', SYSTEMCTL);
    this.offer('sudo', SUDO);
    for (const name of ['node_modules', 'config', 'schema.sql', 'dist']) {
      symlinkSync(join(REPOSITORY, name), join(this.folder, name));
    }
  }

  /** `variables` are in the environment of each command. */
  static async create(variables: Record<string, string> = {}): Promise<Reader> {
    return new Reader(await freePort(), await freePort(), variables);
  }

  /** Puts a script in the place of a program that the pages call. */
  offer(program: string, script: string): void {
    writeFileSync(join(this.#programs, program), script, { mode: 0o755 });
  }

  /** Stops what still runs and removes the folders. */
  leave(): void {
    for (const name of readdirSync(this.folder).filter((file) => file.endsWith('.pid'))) {
      killIn(this.folder, Number(readFileSync(join(this.folder, name), 'utf8')));
    }
    for (const folder of [this.folder, this.#programs]) rmSync(folder, { recursive: true });
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Saves a file as a page shows it. */
  save(name: string, text: string): void {
    writeFileSync(join(this.folder, name), this.#atOwnPorts(text));
  }

  /** Calls a program as the pages' commands find it. */
  call(program: string, ...flags: string[]): void {
    const [folder, env] = [this.folder, this.#environment];
    execFileSync(join(this.#programs, program), flags, {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  get #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...this.#variables,
      PATH: `${this.#programs}:${this.#variables['PATH'] ?? process.env['PATH']}`,
      READER_FOLDER: this.folder,
      READER_PORT: `${this.port}`,
    };
  }

  /** The URL of the control port's call. */
  simulation(path: string): string {
    return `http://127.0.0.1:${this.corePort + 1}/sim/${path}`;
  }

  /**
   * Types every command block of a page but those that `isLeftOut`, saves its files, and answers
   * what went otherwise than shown. `swaps` replaces what the page leaves to its reader.
   */
  async follow(
    page: Page,
    options: {
      readonly isLeftOut?: (block: Block) => boolean;
      readonly swaps?: readonly (readonly [string, string])[];
    } = {},
  ): Promise<string[]> {
    const blocks = blocksOf(page).filter((block) => options.isLeftOut?.(block) !== true);
    const typed = blocks.filter((block) => isCommand(block) || block.file !== null);
    const script = typed.map((block) => this.#typed(block, options.swaps ?? [])).join('\n');
    const { code, printed } = await this.#run(script);
    const last = printed.at(-1);
    if (code !== 0) {
      return [`${page.path}:${last?.line}: exit code ${code}\n${last?.text.slice(-2_000)}`];
    }
    return blocks.flatMap((block, index) => {
      const before = blocks[index - 1];
      if (block.file !== null || before === undefined || !isCommand(before)) return [];
      const text = printed.find(({ line }) => line === before.line)?.text ?? '';
      return unlike(block, text).map((what) => `${page.path}:${block.line}: ${what}`);
    });
  }

  #typed(block: Block, swaps: readonly (readonly [string, string])[]): string {
    let text = block.text;
    for (const [from, to] of swaps) text = text.replaceAll(from, to);
    text = this.#atOwnPorts(text);
    const mark = `printf '\\n\\036%s\\n' ${block.line}`;
    if (block.file !== null) {
      const folder = join(this.folder, block.file, '..');
      if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
      return `${mark}\ncat >'${block.file}' <<'END_OF_FILE'\n${text}END_OF_FILE`;
    }
    return `${mark}\n${this.#inBackground(text)}`;
  }

  #atOwnPorts(text: string): string {
    const own = { 8080: this.port, 4100: this.corePort, 4101: this.corePort + 1 };
    // At once: another port may hold these digits.
    return text.replaceAll(/\b(?:8080|4100|4101)\b/g, (port) => `${own[port as '8080']}`);
  }

  /** A program that stays gets a terminal of its own: the next command is typed once it listens. */
  #inBackground(text: string): string {
    const jobs = text.replaceAll(JOB, (job) => `>>jobs.log 2>&1 ${job}\necho $! >job-$!.pid`);
    return jobs.replace(STAYS, (command, name: string) => {
      const port = name === 'core' ? this.corePort : this.port;
      // Tests type faster than the service lets a client ask.
      const flags = name === 'core' ? ' --no-rate-limit' : '';
      return `${command}${flags} >>${name}.log 2>&1 &
echo $! >${name}.pid
disown
until curl -so /dev/null http://127.0.0.1:${port}/; do
  kill -0 $! || { tail ${name}.log; exit 1; }
  sleep 0.05
done`;
    });
  }

  async #run(script: string): Promise<{
    code: number | null;
    printed: readonly { readonly line: number; readonly text: string }[];
  }> {
    const child = spawn('bash', ['-c', `set -euo pipefail\nexec 2>&1\n${script}`], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const out = collect(child.stdout);
    const [code] = (await once(child, 'close')) as [number | null];
    const printed = out()
      .split(`\n${MARK}`)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return { line: Number(part.slice(0, end)), text: part.slice(end + 1) };
      });
    return { code, printed };
  }
}

function unlike(shown: Block, printed: string): string[] {
  if (shown.language === 'json') return jsonDifferences(shown.text, printed);
  if (shown.language === 'text') {
    return missingLines(shown.text, printed).map((line) => `not printed: ${line}\n${printed}`);
  }
  return [];
}
