import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../e2e/program.ts';
import type { Running } from '../e2e/program.ts';
import { ALL_PERMISSIONS, publicKeyPem, tokenFor } from './core-caller.ts';
import type { Json } from './core-caller.ts';

/** Calls that one client may make in a minute; the rest is left for the checks. */
const CALLS_MAX = 90;

interface Where {
  readonly url: string;
  readonly controlUrl: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** A core that runs somewhere, spoken to over HTTP alone. */
export class RemoteCore {
  where: Where;
  #token: Promise<string> | undefined;
  #callsLeft = 0;

  constructor(where: Where) {
    this.where = where;
  }

  /** Calls `/sim/…`; anything but a success throws. */
  async sim(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await send(`${this.where.controlUrl}${path}`, method, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Calls `/api/v1…` as a client that may do everything, or with this token. */
  async api(method: string, path: string, body?: unknown, token?: string): Promise<Answered> {
    const bearer = token ?? (await this.#freshToken());
    return send(`${this.where.url}/api/v1${path}`, method, { body, token: bearer });
  }

  async made(path: string, body: unknown): Promise<Json> {
    const answer = await this.api('POST', path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async client(): Promise<{ clientId: string; token: string }> {
    const request = { name: 'test', type: 'api', publicKeyPem, permissions: ALL_PERMISSIONS };
    const clientId = String((await this.sim('POST', '/sim/clients', request))['clientId']);
    return { clientId, token: await tokenFor(clientId) };
  }

  async advance(ms: number): Promise<void> {
    await this.sim('POST', '/sim/clock', { advanceMs: ms });
  }

  /** `/sim/deliveries`, as it came. */
  async deliveryLog(): Promise<string> {
    return (await fetch(`${this.where.controlUrl}/sim/deliveries`)).text();
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

async function send(
  url: string,
  method: string,
  options: { token?: string; body?: unknown },
): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Json,
  };
}

/** The built core in a process of its own, to be killed and started again. */
export class CoreProcess extends RemoteCore {
  readonly #folder: string;
  readonly #args: readonly string[];
  #running: Running<Where> | undefined;

  private constructor(folder: string, args: readonly string[]) {
    super({ url: '', controlUrl: '' });
    this.#folder = folder;
    this.#args = args;
  }

  /** With everything in memory. */
  static async start(...args: string[]): Promise<CoreProcess> {
    const core = new CoreProcess(newFolder(), args);
    await core.startAgain();
    return core;
  }

  /** On a file of its own, that goes away with it. */
  static async startOnFile(...args: string[]): Promise<CoreProcess> {
    const folder = newFolder();
    const core = new CoreProcess(folder, ['--db', join(folder, 'core.db'), ...args]);
    await core.startAgain();
    return core;
  }

  async startAgain(): Promise<void> {
    this.#running = await startProgram<Where>('core', '--port', '0', '--json', ...this.#args);
    this.where = this.#running.ready;
  }

  /** As a power cut would: no chance to finish anything. */
  async kill(): Promise<void> {
    await this.#running?.end('SIGKILL');
  }

  async killAndStartAgain(): Promise<void> {
    await this.kill();
    await this.startAgain();
  }

  /** As an operator would; answers the exit code. */
  async stop(): Promise<number | null> {
    return (await this.#running?.end('SIGTERM')) ?? null;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'counterfoil-core-'));
}
