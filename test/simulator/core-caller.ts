import { createHash, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { VIRTUAL_START_MS } from '../../src/simulator/clock.ts';
import { startCore } from '../../src/simulator/core.ts';
import type { CoreOptions, RunningCore } from '../../src/simulator/core.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const publicKeyPem = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const kid = createHash('sha256')
  .update(keys.publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex');

/** Far enough for every test, on the virtual clock and on the real one. */
const EXPIRY_S = VIRTUAL_START_MS / 1000 + 40 * 366 * 86_400;

export const ALL_PERMISSIONS = ['Vault:read', 'manageVaults', 'manageNotifications'];

const jsonObject = z.record(z.string(), z.unknown());
export type Json = z.infer<typeof jsonObject>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

async function call(
  url: string,
  method: string,
  options: { token?: string | undefined; body?: unknown; text?: string } = {},
): Promise<Answered> {
  const text =
    options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const body = jsonObject.parse(await response.json());
  return { status: response.status, headers: response.headers, body };
}

/** Signs as the client; its key is the same for all test clients. */
export async function tokenFor(clientId: string): Promise<string> {
  return new SignJWT({ iss: clientId, sub: kid, exp: EXPIRY_S })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid })
    .sign(keys.privateKey);
}

/** A running core with a client that may do everything. */
export interface Caller {
  readonly core: RunningCore;
  readonly clientId: string;
  readonly token: string;
  /** Calls `/api/v1…` as that client, or with another token (`null`: none). */
  api(
    method: string,
    path: string,
    body?: unknown,
    options?: { token?: string | null; text?: string },
  ): Promise<Answered>;
  /** Calls `/sim/…` and expects success. */
  sim(method: string, path: string, body?: unknown): Promise<Json>;
  /** Calls `/sim/…` whatever comes of it. */
  control(method: string, path: string, body?: unknown): Promise<Answered>;
  advance(ms: number): Promise<void>;
  /** Another client with these permissions; answers its id and token. */
  client(permissions: readonly string[]): Promise<{ clientId: string; token: string }>;
  vault(options?: Json): Promise<string>;
  account(vaultId: string, name?: string): Promise<string>;
  address(
    accountId: string,
    network: string,
  ): Promise<{ addressId: string; networkAddress: string }>;
  stop(): Promise<void>;
}

export async function startCaller(options: Partial<CoreOptions> = {}): Promise<Caller> {
  const core = await startCore({ port: 0, seed: 1, clock: 'virtual', autoMine: false, ...options });
  const control: Caller['control'] = (method, path, body) =>
    call(`${core.controlUrl}${path}`, method, body === undefined ? {} : { body });
  const sim: Caller['sim'] = async (method, path, body) => {
    const answer = await control(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const client: Caller['client'] = async (permissions) => {
    const request = { name: 'test', type: 'api', publicKeyPem, permissions };
    const { clientId } = await sim('POST', '/sim/clients', request);
    return { clientId: String(clientId), token: await tokenFor(String(clientId)) };
  };
  const { clientId, token } = await client(ALL_PERMISSIONS);
  const api: Caller['api'] = (method, path, body, given = {}) =>
    call(`${core.url}/api/v1${path}`, method, {
      token: given.token === null ? undefined : (given.token ?? token),
      body,
      ...(given.text === undefined ? {} : { text: given.text }),
    });
  const made = async (path: string, body: unknown): Promise<Json> => {
    const answer = await api('POST', path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    core,
    clientId,
    token,
    api,
    sim,
    control,
    client,
    advance: async (ms) => {
      await sim('POST', '/sim/clock', { advanceMs: ms });
    },
    vault: async (more = {}) =>
      String((await sim('POST', '/sim/vaults', { name: 'v', ...more }))['vaultId']),
    account: async (vaultId, name = 'main') =>
      String((await made('/accounts', { vaultId, name }))['accountId']),
    address: async (accountId, network) => {
      const row = await made('/addresses', { accountId, network });
      return {
        addressId: String(row['addressId']),
        networkAddress: String(row['networkAddress']),
      };
    },
    stop: () => core.stop(),
  };
}
