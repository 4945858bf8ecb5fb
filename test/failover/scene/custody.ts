import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CoreClient, CoreControl } from '../../../src/commands/demo/core-client.ts';
import { startProgram, type Running } from '../../e2e/program.ts';

interface CoreReady {
  readonly url: string;
  readonly controlUrl: string;
}

const ETHER = 'ethereum:ETH';
const DEEP_ENOUGH = 3;

/** The simulated custody core with one vault; it hands its webhooks to the senders. */
export class Custody {
  readonly #core: Running<CoreReady>;
  readonly #control: CoreControl;
  readonly #client: CoreClient;
  readonly #webhooks: Server;
  readonly #addressIds: readonly string[];
  #paid = 0;

  private constructor(parts: {
    core: Running<CoreReady>;
    control: CoreControl;
    client: CoreClient;
    webhooks: Server;
    addressIds: readonly string[];
  }) {
    this.#core = parts.core;
    this.#control = parts.control;
    this.#client = parts.client;
    this.#webhooks = parts.webhooks;
    this.#addressIds = parts.addressIds;
  }

  /** `take`: receives the body of each webhook. */
  static async start(take: (body: string) => void): Promise<Custody> {
    const core = await startProgram<CoreReady>(
      'core',
      '--port',
      '0',
      '--no-mine',
      '--no-rate-limit',
      '--json',
    );
    const { url, controlUrl } = core.ready;
    const control = new CoreControl(controlUrl);
    const client = await CoreClient.create({ control, url, name: 'failover' });
    const webhooks = await listening(take);
    const vault = (await control.post('/sim/vaults', { name: 'v' })) as { vaultId: string };
    const { vaultId } = vault;
    const webhookUrl = `${urlOf(webhooks)}/hooks/proxy`;
    const streams = ['outgoing', 'incoming', 'blockchain'];
    await client.post(`/subscriptions/${vaultId}`, { webhookUrl, streams });
    const made = async (path: string, body: unknown): Promise<Record<string, string>> =>
      (await client.post(path, body)) as Record<string, string>;
    const addressIds: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { accountId = '' } = await made('/accounts', { vaultId, name });
      const { addressId = '' } = await made('/addresses', { accountId, network: 'ethereum' });
      addressIds.push(addressId);
    }
    return new Custody({ core, control, client, webhooks, addressIds });
  }

  /** `custody` of a receiver's configuration. */
  configuration({ folder, hookPath }: { folder: string; hookPath: string }): object {
    const privateKeyFile = 'custody.key';
    writeFileSync(join(folder, privateKeyFile), this.#client.privateKeyPem, { mode: 0o600 });
    const { clientId } = this.#client;
    const webhookUrl = `${urlOf(this.#webhooks)}${hookPath}`;
    const baseUrl = this.#core.ready.url;
    return { baseUrl, clientId, privateKeyFile, webhookUrl, vaults: 'all' };
  }

  /** A payment that becomes deep enough for a credit. */
  async deposit(): Promise<void> {
    this.#paid += 1;
    const addressId = this.#addressIds[this.#paid % this.#addressIds.length];
    const payment = { network: 'ethereum', addressId, asset: ETHER, amount: String(this.#paid) };
    await this.#control.post('/sim/deposits', payment);
    await this.#control.post('/sim/blocks', { network: 'ethereum', count: DEEP_ENOUGH });
  }

  async stop(): Promise<void> {
    await this.#core.end('SIGKILL');
    this.#webhooks.closeAllConnections();
    this.#webhooks.close();
  }
}

/** Takes every webhook at once; the senders deliver it. */
async function listening(take: (body: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      take(Buffer.concat(chunks).toString());
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
