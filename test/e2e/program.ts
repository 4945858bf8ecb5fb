import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The program as users run it: built, in a process of its own. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const READY_MS_MAX = 120_000;

const PIPED: { stdio: ['ignore', 'pipe', 'pipe'] } = { stdio: ['ignore', 'pipe', 'pipe'] };

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built program to its end. */
export async function runProgram(...args: string[]): Promise<Finished> {
  return launchProgram(...args).finished;
}

/** A command on its way; `stderr` is what it has said so far. */
interface Launched {
  readonly stderr: () => string;
  readonly finished: Promise<Finished>;
}

/** Starts a command of the built program that ends by itself. */
export function launchProgram(...args: string[]): Launched {
  return follow(spawn(process.execPath, [MAIN, ...args], PIPED));
}

/** A command that may be ended at any moment of its start. */
export function launchKillable(
  args: readonly string[],
  options: { readonly main?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Launched & { readonly kill: (signal: NodeJS.Signals) => void } {
  const env = { ...process.env, ...options.environment };
  const child = spawn(process.execPath, [options.main ?? MAIN, ...args], { ...PIPED, env });
  return { ...follow(child), kill: (signal) => void child.kill(signal) };
}

/** Runs a command whose output nobody reads: the pipe's other end is closed from the beginning. */
export async function runUnread(...args: string[]): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...args], PIPED);
  child.stdout.destroy();
  return follow(child).finished;
}

/** The same as the foreground of a terminal of its own, whose Ctrl-C reaches every process there. */
export function launchInTerminal(...args: string[]): Launched & { readonly ctrlC: () => void } {
  const child = spawn(process.execPath, [MAIN, ...args], { ...PIPED, detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args[0]} could not be started`);
  const ctrlC = (): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGINT');
  };
  return { ...follow(child), ctrlC };
}

function follow(child: ChildProcessByStdio<null, Readable, Readable>): Launched {
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const finished = closed.then(([code]) => ({ code, stdout: out(), stderr: err() }));
  return { stderr: err, finished };
}

/** Keeps what a stream says; the answer gives it as it is by then. */
export function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** A started command that listens; `ready` is the JSON line that it printed first. */
export class Running<Ready> {
  readonly ready: Ready;
  readonly stderr: () => string;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, ready: Ready, stderr: () => string) {
    this.#child = child;
    this.ready = ready;
    this.stderr = stderr;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the program could not be started');
    return this.#child.pid;
  }

  /** Sends a signal and answers the exit code; null when the signal itself ended the process. */
  async end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      return this.#child.exitCode;
    }
    // Not `exit`, which may come before what was said last.
    const closed = once(this.#child, 'close') as Promise<[number | null]>;
    this.#child.kill(signal);
    return (await closed)[0];
  }
}

const listening = new Set<ChildProcess>();
// A test process that ends early must not leave its programs behind.
process.once('exit', () => {
  for (const child of listening) child.kill('SIGKILL');
});

export function startProgram<Ready>(...args: string[]): Promise<Running<Ready>> {
  return startProgramIn<Ready>({}, ...args);
}

/** The same with an environment of its own beside this process's, or another build's `main.js`. */
export async function startProgramIn<Ready>(
  {
    main = MAIN,
    environment = {},
  }: { readonly main?: string; readonly environment?: Readonly<Record<string, string>> },
  ...args: string[]
): Promise<Running<Ready>> {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [main, ...args], { ...PIPED, env });
  listening.add(child);
  child.once('exit', () => listening.delete(child));
  const stderr = collect(child.stderr);
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_MS_MAX);
  const first = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    once(child, 'exit').then(() => null),
  ]);
  clearTimeout(timer);
  if (first === null) throw new Error(`${args[0]} ended at once:\n${stderr()}`);
  // Later lines are log lines; the pipe must be drained or the child would stall on it.
  lines.on('line', () => undefined);
  return new Running<Ready>(child, JSON.parse(first[0]) as Ready, stderr);
}

/**
 * Below the ports that Linux (from 32768) and macOS (from 49152) choose by themselves. A port from
 * those may go to any server or connection between the moment it is found free and its use.
 */
const PORTS_FROM = 10_000;
/** Ports of each worker of a run, and of each process of a worker: runs beside this one differ. */
const WORKER_PORTS = 2_000;
const PROCESS_PORTS = 40;
const WORKERS = 10;

const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS;
const ownPorts =
  PORTS_FROM +
  worker * WORKER_PORTS +
  (process.pid % (WORKER_PORTS / PROCESS_PORTS)) * PROCESS_PORTS;
let portsTaken = 0;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * A port that is free, and so is the next one, for a configuration that must name it beforehand. The
 * same process is given it again only after all its other ports.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PROCESS_PORTS; tries += 1) {
    const port = ownPorts + (portsTaken % PROCESS_PORTS);
    portsTaken += 2;
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new Error(`no port is free from ${ownPorts} on`);
}

const POLL_INTERVAL_MS = 50;

/** Asks again and again until the answer is not undefined; throws once the time is over. */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  withinMs = 120_000,
): Promise<Value> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const value = await ask();
    if (value !== undefined) return value;
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_INTERVAL_MS);
    });
  }
  throw new Error(`not within ${withinMs} ms: ${what}`);
}
