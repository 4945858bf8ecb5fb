import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../e2e/program.ts';
import type { Running } from '../e2e/program.ts';
import { send } from './call.ts';
import type { Answer, Json } from './call.ts';
import { ALL_PERMISSIONS, KEYS, tokenFor } from './client-keys.ts';

/** Calls that one client makes in a minute. The rest is left for the checks. */
const CALLS_MAX = 90;

/** The core begins the line of a bug with this text. */
const BUG = 'custody core:';

const STOP_MS_MAX = 30_000;

interface Where {
  readonly url: string;
  readonly controlUrl: string;
}

/** A running core, called over HTTP only. */
export class RemoteCore {
  protected where: Where;
  #token: Promise<string> | undefined;
  #callsLeft = 0;

  constructor(where: Where) {
    this.where = where;
  }

  /** Base address of the API and of the control port, without a trailing slash. */
  get url(): string {
    return this.where.url;
  }

  get controlUrl(): string {
    return this.where.controlUrl;
  }

  /** Calls `/sim/…`; anything but a success throws. */
  async sim(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await send(`${this.controlUrl}${path}`, method, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Calls `/api/v1…` as a client that may do everything, or with this token. */
  async api(method: string, path: string, body?: unknown, token?: string): Promise<Answer> {
    const bearer = token ?? (await this.#freshToken());
    return send(`${this.url}/api/v1${path}`, method, { body, token: bearer });
  }

  async made(path: string, body: unknown): Promise<Json> {
    const answer = await this.api('POST', path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async client(): Promise<{ clientId: string; token: string }> {
    const request = {
      name: 'test',
      type: 'api',
      publicKeyPem: KEYS.publicKeyPem,
      permissions: ALL_PERMISSIONS,
    };
    const clientId = String((await this.sim('POST', '/sim/clients', request))['clientId']);
    return { clientId, token: await tokenFor(clientId) };
  }

  async advance(ms: number): Promise<void> {
    await this.sim('POST', '/sim/clock', { advanceMs: ms });
  }

  /** The text of `/sim/deliveries`. */
  async deliveryLog(): Promise<string> {
    return (await fetch(`${this.controlUrl}/sim/deliveries`)).text();
  }

  #freshToken(): Promise<string> {
    if (this.#token === undefined || this.#callsLeft === 0) {
      this.#callsLeft = CALLS_MAX;
      this.#token = this.client().then(({ token }) => token);
    }
    this.#callsLeft -= 1;
    return this.#token;
  }
}

/** The built core in its own process, which a test can kill and start again. */
export class CoreProcess extends RemoteCore {
  /** Holds the core's file; null for a core in memory. */
  readonly #folder: string | null;
  readonly #args: readonly string[];
  #running: Running<Where> | undefined;

  private constructor(folder: string | null, args: readonly string[]) {
    super({ url: '', controlUrl: '' });
    this.#folder = folder;
    this.#args = args;
  }

  /** Starts a core in memory. */
  static async start(...args: string[]): Promise<CoreProcess> {
    const core = new CoreProcess(null, args);
    await core.startAgain();
    return core;
  }

  /** Starts a core in memory on virtual time, without automatic blocks. */
  static startStill(...args: string[]): Promise<CoreProcess> {
    return CoreProcess.start('--clock', 'virtual', '--no-mine', ...args);
  }

  /** Starts a core on a new file, which is deleted at the end. */
  static async startOnFile(...args: string[]): Promise<CoreProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-core-'));
    const core = new CoreProcess(folder, ['--db', join(folder, 'core.db'), ...args]);
    await core.startAgain();
    return core;
  }

  async startAgain(): Promise<void> {
    this.#running = await startProgram<Where>('core', '--port', '0', '--json', ...this.#args);
    this.where = this.#running.ready;
  }

  /** Kills the core without a chance to finish anything, as a power cut would. */
  async kill(): Promise<void> {
    await this.#running?.end('SIGKILL');
  }

  async killAndStartAgain(): Promise<void> {
    await this.kill();
    await this.startAgain();
  }

  /**
   * Bugs that the core has reported so far. Libraries write to standard error too; their lines do
   * not count.
   */
  complaints(): string[] {
    const lines = this.#running?.stderr().split('\n') ?? [];
    return lines.filter((line) => line.startsWith(BUG));
  }

  /**
   * Stops the core as an operator would. Returns the exit code; null for a core that had to be
   * killed.
   */
  async stop(): Promise<number | null> {
    // A core in an endless loop never receives the signal and would run for ever.
    const patience = setTimeout(() => void this.#running?.end('SIGKILL'), STOP_MS_MAX);
    try {
      return (await this.#running?.end('SIGTERM')) ?? null;
    } finally {
      clearTimeout(patience);
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }
}
