import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The program as users run it: built, in a process of its own. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const READY_MS_MAX = 30_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built program to its end. */
export async function runProgram(...args: string[]): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: out(), stderr: err() };
}

function collect(stream: NodeJS.ReadableStream): () => string {
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

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = once(this.#child, 'exit') as Promise<[number | null]>;
    this.#child.kill(signal);
    return (await exited)[0];
  }
}

export async function startProgram<Ready>(...args: string[]): Promise<Running<Ready>> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const stderr = collect(child.stderr);
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_MS_MAX);
  const first = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    once(child, 'exit').then(() => null),
  ]);
  clearTimeout(timer);
  if (first === null) throw new Error(`${args[0]} ended at once:\n${stderr()}`);
  lines.on('line', () => undefined);
  return new Running<Ready>(child, JSON.parse(first[0]) as Ready, stderr);
}

export interface ServeReady {
  readonly url: string;
}

export interface Crediting {
  readonly default: { readonly confirmations: number };
  readonly networks: Readonly<Record<string, object>>;
  readonly assets: Readonly<Record<string, object>>;
}

/** A daemon of its own: store, configuration and secrets in a folder that goes away with it. */
export class Daemon {
  readonly pathToken = randomBytes(24).toString('hex');
  readonly adminToken = randomBytes(24).toString('hex');
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-e2e-'));
  readonly storePath = join(this.folder, 'store.db');
  readonly configPath = join(this.folder, 'config.json');
  #running: Running<ServeReady> | undefined;

  constructor(options: { crediting: Crediting; graceSeconds: number; custody?: object }) {
    const config = {
      listen: { host: '127.0.0.1', port: 0 },
      store: `sqlite:${this.storePath}`,
      intake: { pathTokens: [this.pathToken] },
      ...(options.custody === undefined ? {} : { custody: options.custody }),
      crediting: options.crediting,
      reconcile: { sweep: '0 0 1 1 *', graceSeconds: options.graceSeconds },
      api: {
        tokens: [
          {
            name: 'tester',
            role: 'admin',
            sha256: createHash('sha256').update(this.adminToken).digest('hex'),
          },
        ],
      },
    };
    writeFileSync(this.configPath, JSON.stringify(config, null, 2));
  }

  async start(): Promise<void> {
    this.#running = await startProgram<ServeReady>('serve', '--config', this.configPath, '--json');
  }

  get url(): string {
    if (this.#running === undefined) throw new Error('the daemon is not running');
    return this.#running.ready.url;
  }

  get hookUrl(): string {
    return `${this.url}/hooks/${this.pathToken}`;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const code = await this.#running?.end(signal);
    this.#running = undefined;
    return code ?? null;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  deliver(body: string | Uint8Array): Promise<Response> {
    return fetch(this.hookUrl, { method: 'POST', body: body as BodyInit });
  }

  async get<Body>(path: string): Promise<Body> {
    const answer = await fetch(`${this.url}${path}`, { headers: this.#headers() });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  }

  async post<Body>(path: string, body: unknown): Promise<Body> {
    const answer = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.adminToken}` };
  }
}
