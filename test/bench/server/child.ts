import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** How long a child may take to say its first line. */
const FIRST_LINE_MS_MAX = 60_000;

/** Most characters of a child’s error stream that a failure shows. */
const STDERR_CHARS_KEPT = 4_000;

/** A child process, and the JSON line that it printed first. */
export class Child<FirstLine> {
  readonly pid: number;
  readonly firstLine: FirstLine;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, pid: number, firstLine: FirstLine) {
    this.pid = pid;
    this.firstLine = firstLine;
    this.#process = child;
  }

  /** Runs this Node with these arguments, and waits for the first line. */
  static async start<FirstLine>(
    args: readonly string[],
    firstLineMsMax: number = FIRST_LINE_MS_MAX,
  ): Promise<Child<FirstLine>> {
    const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_CHARS_KEPT);
    });
    const lines = createInterface({ input: child.stdout });
    const timer = setTimeout(() => child.kill('SIGKILL'), firstLineMsMax);
    const line = await Promise.race([
      once(lines, 'line') as Promise<[string]>,
      once(child, 'close').then(() => null),
    ]);
    clearTimeout(timer);
    if (line === null || child.pid === undefined) {
      throw new Error(`a child process said nothing: node ${args.join(' ')}\n${stderr}`);
    }
    lines.on('line', () => undefined);
    return new Child(child, child.pid, JSON.parse(line[0]) as FirstLine);
  }

  /** Ends in order; the exit code, or null when a signal ended it. */
  end(): Promise<number | null> {
    this.#process.kill('SIGTERM');
    return this.ended();
  }

  /** Resolves when it has ended by itself, as `end` does. */
  async ended(): Promise<number | null> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const [code] = (await once(this.#process, 'exit')) as [number | null];
    return code;
  }
}
