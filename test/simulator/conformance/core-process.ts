import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The built program, as users run it. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** How the core begins a line that tells of a bug. */
const BUG = 'custody core:';

const STOP_MS_MAX = 5_000;

const whereLine = z.object({ url: z.string(), controlUrl: z.string() });

/** A custody core in a process of its own, on virtual time, mining only when told. */
export interface CoreProcess {
  /** Base addresses without a trailing slash. */
  readonly url: string;
  readonly controlUrl: string;
  /** Bugs that it told of so far; libraries write to standard error too, and do not count. */
  complaints(): string[];
  stop(): Promise<void>;
}

/**
 * Starts `counterfoil core` with `more` options; rejects with what it printed when it ends instead of
 * listening.
 */
export async function startCoreProcess(
  seed: number,
  more: readonly string[] = [],
): Promise<CoreProcess> {
  const options = ['--port', '0', '--clock', 'virtual', '--seed', String(seed), ...more];
  const child = spawn(process.execPath, [MAIN, 'core', ...options, '--no-mine', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test process that ends early must not leave its core behind.
  const abandon = (): boolean => child.kill('SIGKILL');
  process.once('exit', abandon);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first: unknown = await Promise.race([
    once(lines, 'line').then(([line]: unknown[]) => line),
    exited.then(() => undefined),
  ]);
  if (typeof first !== 'string') throw new Error(`the core ended at once:\n${errors}`);
  const { url, controlUrl } = whereLine.parse(JSON.parse(first));
  return {
    url,
    controlUrl,
    complaints: () => errors.split('\n').filter((line) => line.startsWith(BUG)),
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      // A core that spins never hears the signal, and would go on for ever.
      const patience = setTimeout(() => {
        errors += `\n${BUG} did not stop within ${STOP_MS_MAX} ms`;
        abandon();
      }, STOP_MS_MAX);
      await exited;
      clearTimeout(patience);
      process.off('exit', abandon);
    },
  };
}
