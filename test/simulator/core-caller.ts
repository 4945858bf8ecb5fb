import { startCore } from '../../src/simulator/core.ts';
import type { CoreOptions, RunningCore } from '../../src/simulator/core.ts';
import { send } from './call.ts';
import type { Answer, Json } from './call.ts';
import { ALL_PERMISSIONS, KEYS, tokenFor } from './client-keys.ts';

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
  ): Promise<Answer>;
  /** Calls `/sim/…` and expects success. */
  sim(method: string, path: string, body?: unknown): Promise<Json>;
  /** Calls `/sim/…` and returns any answer. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
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
    send(`${core.controlUrl}${path}`, method, body === undefined ? {} : { body });
  const sim: Caller['sim'] = async (method, path, body) => {
    const answer = await control(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const client: Caller['client'] = async (permissions) => {
    const request = { name: 'test', type: 'api', publicKeyPem: KEYS.publicKeyPem, permissions };
    const { clientId } = await sim('POST', '/sim/clients', request);
    return { clientId: String(clientId), token: await tokenFor(String(clientId)) };
  };
  const { clientId, token } = await client(ALL_PERMISSIONS);
  const api: Caller['api'] = (method, path, body, given = {}) =>
    send(`${core.url}/api/v1${path}`, method, {
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
