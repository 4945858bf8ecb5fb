import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MAIN, startProgramIn, type Running } from './program.ts';

interface ServeReady {
  readonly url: string;
  readonly admin: string;
}

export interface Crediting {
  readonly vaults?: readonly string[];
  readonly default: { readonly confirmations: number };
  readonly networks: Readonly<Record<string, object>>;
  readonly assets: Readonly<Record<string, object>>;
}

export const THREE_DEEP: Crediting = { default: { confirmations: 3 }, networks: {}, assets: {} };

const DAY_MS = 86_400_000;

/**
 * A schedule whose next time is a month away, and whose last time was eleven months ago: runs happen
 * when a test asks for them. On a fixed date, the first of January say, a store with older days would
 * be closed by the schedule for months afterwards.
 */
function never(): string {
  const far = new Date(Date.now() + 30 * DAY_MS);
  // Not the last day of February, which most years lack.
  return `0 0 ${Math.min(far.getUTCDate(), 28)} ${far.getUTCMonth() + 1} *`;
}

/** An environment in which every thread of a Node process has another clock. */
function clockOf(folder: string, aheadMs: number): Readonly<Record<string, string>> {
  if (aheadMs === 0) return {};
  const file = join(folder, 'clock.cjs');
  writeFileSync(
    file,
    `const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { super(...(given.length === 0 ? [Real.now() + ${aheadMs}] : given)); }
      static now() { return Real.now() + ${aheadMs}; }
    };`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
}

export interface DaemonOptions {
  readonly crediting?: Crediting;
  readonly graceSeconds?: number;
  readonly port?: number;
  /** The store's folder, instead of the daemon's own. */
  readonly storeFolder?: string;
  /** Instead of a random one, for receivers that share an address. */
  readonly pathToken?: string;
  /** How far its clock is ahead of this machine's, milliseconds. */
  readonly clockAheadMs?: number;
  /** `store` and `receiver` of a receiver that shares its journal; absent: SQLite. */
  readonly shared?: (own: { folder: string }) => { store: string; receiver: object };
  readonly custody?: (own: { folder: string; hookPath: string }) => object;
}

/** A daemon of its own: store, configuration and secrets in a folder that goes away with it. */
export class Daemon {
  readonly pathTokens: readonly [string, string];
  readonly adminToken = randomBytes(24).toString('hex');
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-e2e-'));
  readonly storePath: string;
  readonly configPath = join(this.folder, 'config.json');
  /** The build that the next start runs. */
  main = MAIN;
  readonly #environment: Readonly<Record<string, string>>;
  #running: Running<ServeReady> | undefined;
  #stderr = (): string => '';

  constructor(options: DaemonOptions = {}) {
    this.#environment = clockOf(this.folder, options.clockAheadMs ?? 0);
    this.storePath = join(options.storeFolder ?? this.folder, 'store.db');
    const sha256 = createHash('sha256').update(this.adminToken).digest('hex');
    const random = (): string => randomBytes(24).toString('hex');
    this.pathTokens = [options.pathToken ?? random(), random()];
    const hookPath = `/hooks/${this.pathTokens[0]}`;
    const custody = options.custody?.({ folder: this.folder, hookPath });
    const config = {
      listen: { host: '127.0.0.1', port: options.port ?? 0 },
      ...(options.shared?.({ folder: this.folder }) ?? { store: `sqlite:${this.storePath}` }),
      intake: { pathTokens: this.pathTokens },
      ...(custody === undefined ? {} : { custody }),
      crediting: options.crediting ?? THREE_DEEP,
      reconcile: { sweep: never(), close: never(), graceSeconds: options.graceSeconds ?? 0 },
      api: { tokens: [{ name: 'tester', role: 'admin', sha256 }] },
    };
    writeFileSync(this.configPath, JSON.stringify(config, null, 2));
  }

  /** Started now, gone when the test ends. */
  static async start(options: DaemonOptions = {}): Promise<Daemon> {
    const daemon = new Daemon(options);
    onTestFinished(() => daemon.remove());
    await daemon.start();
    return daemon;
  }

  async start(): Promise<void> {
    this.#running = await startProgramIn<ServeReady>(
      { main: this.main, environment: this.#environment },
      'serve',
      '--config',
      this.configPath,
      '--json',
    );
    this.#stderr = this.#running.stderr;
  }

  get url(): string {
    if (this.#running === undefined) throw new Error('the daemon is not running');
    return this.#running.ready.url;
  }

  /** Where API and console are; the same as `url` without a listener of their own. */
  get adminUrl(): string {
    if (this.#running === undefined) throw new Error('the daemon is not running');
    return this.#running.ready.admin;
  }

  get pid(): number {
    if (this.#running === undefined) throw new Error('the daemon is not running');
    return this.#running.pid;
  }

  /** What it has written to standard error since its last start. */
  stderr(): string {
    return this.#stderr();
  }

  async end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | null> {
    const code = await this.#running?.end(signal);
    this.#running = undefined;
    return code ?? null;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  deliver(body: string | Uint8Array, pathToken: string = this.pathTokens[0]): Promise<Response> {
    return fetch(`${this.url}/hooks/${pathToken}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : Buffer.from(body),
    });
  }

  async get<Body>(path: string): Promise<Body> {
    const answer = await fetch(`${this.url}${path}`, { headers: this.#headers() });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  }

  async post<Body>(path: string, body: unknown = {}): Promise<Body> {
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
