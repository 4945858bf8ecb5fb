import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandFailed } from '../../daemon/process/terminal.ts';

/** The program's entry point, run again for each child. */
const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** Time limit until a child is ready; a busy machine needs tens of seconds. */
const READY_MS_MAX = 60_000;

/** Why a child ended. Its own advice about a port names an option that the demo does not have. */
export function endedText(command: string, said: string): string {
  const inUse = /EADDRINUSE: address already in use (\S+:\d+)/.exec(said)?.[1];
  return inUse === undefined
    ? `\`counterfoil ${command}\` ended at once: ${said}`
    : `${inUse} is in use: stop what uses it, or choose other ports with --port and --core-port`;
}

/**
 * The product or the core as a separate process, so that the demo can really kill it. A child
 * reports that it is ready by one JSON line on standard output. Ctrl-C in a terminal does not reach
 * it, so that the demo ends in order. It ends with the demo, unless the demo itself is killed.
 */
export class Child<Ready> {
  readonly ready: Ready;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child;
    this.ready = ready;
  }

  static async start<Ready>(
    args: readonly string[],
    options: { signal: AbortSignal },
  ): Promise<Child<Ready>> {
    const child = spawn(process.execPath, [MAIN, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A terminal's signals go to every process of its foreground group.
      detached: true,
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors.push(text);
      if (errors.length > 50) errors.shift();
    });
    const lines = createInterface({ input: child.stdout });
    const timer = setTimeout(kill, READY_MS_MAX);
    options.signal.addEventListener('abort', kill, { once: true });
    try {
      const first = await Promise.race([
        once(lines, 'line') as Promise<[string]>,
        once(child, 'exit').then(() => null),
      ]);
      if (first === null) {
        throw new CommandFailed(endedText(args[0] ?? '', errors.join('').trim()));
      }
      // Drain later log lines, or the child blocks on a full pipe.
      lines.on('line', () => undefined);
      return new Child<Ready>(child, JSON.parse(first[0]) as Ready);
    } finally {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', kill);
    }
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills the process at once, like a power cut. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Suspends the process: it keeps its connections and answers nothing. */
  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops the process in order, as an operator does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.running) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }
}
