import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { Notification } from '../../../src/wire/notification.ts';
import { send, textOf } from '../call.ts';
import type { Answer, Json } from '../call.ts';
import { Contract } from './contract.ts';
import { startContractProxy } from './contract-proxy.ts';
import type { ContractProxy } from './contract-proxy.ts';
import { watchCoverage } from './coverage.ts';
import type { Group } from './rows.ts';
import { notificationLine } from './notification-line.ts';
import { ALL_PERMISSIONS, KEYS, tokenFor } from '../client-keys.ts';
import type { KeyPair } from '../client-keys.ts';
import { CoreProcess } from '../core-process.ts';
import { outsideOn } from '../outside-addresses.ts';
import { startReceiver } from '../webhook-receiver.ts';
import type { WebhookReceiver } from '../webhook-receiver.ts';

export const ALL_STREAMS = ['outgoing', 'blockchain', 'incoming'];
/**
 * A client may call 100 times a minute, and the clock does not move. After this number of calls the
 * next client calls.
 */
const CALLS_OF_ONE_CLIENT = 90;

export interface Client {
  readonly clientId: string;
  readonly token: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

/** The core, the proxy before it and a receiver of webhooks, for one test file. */
export class Stage {
  readonly keys: KeyPair = KEYS;
  readonly token = tokenFor;
  #core: CoreProcess | undefined;
  #proxy: ContractProxy | undefined;
  #receiver: WebhookReceiver | undefined;
  #contract: Contract | undefined;
  #crew: Client | undefined;
  #crewCalls = 0;
  #orders = 0;
  #seen = 0;
  #exitCode: number | null | undefined;

  get core(): CoreProcess {
    return started(this.#core);
  }

  get proxy(): ContractProxy {
    return started(this.#proxy);
  }

  get receiver(): WebhookReceiver {
    return started(this.#receiver);
  }

  get contract(): Contract {
    return started(this.#contract);
  }

  async start(seed: number): Promise<void> {
    this.#core = await CoreProcess.startStill('--seed', String(seed));
    const document = await send(`${this.#core.url}/openapi.json`, 'GET');
    this.#contract = new Contract(document.body);
    this.#proxy = await startContractProxy(this.#core.url, this.#contract);
    this.#receiver = await startReceiver();
  }

  async stop(): Promise<void> {
    await this.#proxy?.close();
    this.#exitCode = await this.#core?.stop();
    await this.#receiver?.close();
  }

  /** At the end: violations of the document, malformed webhooks and bugs of the core. */
  wrongs(): string[] {
    return [
      ...(this.#exitCode === 0 ? [] : [`the core ended with ${this.#exitCode ?? 'a signal'}`]),
      ...(this.#proxy?.violations ?? []),
      ...(this.#receiver?.malformed ?? []),
      ...(this.#core?.complaints() ?? []),
    ];
  }

  /** Restores the state right after the start. */
  async reset(): Promise<void> {
    await this.sim('POST', '/sim/reset');
    this.receiver.clear();
    this.#seen = 0;
    this.#orders = 0;
    this.#crew = undefined;
  }

  /** Calls the control port. Throws when the call is refused. */
  async sim(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await send(`${this.core.controlUrl}${path}`, method, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Calls the API with any token, or none. */
  anyone(
    method: string,
    path: string,
    options: { token?: string | undefined; body?: unknown; text?: string } = {},
  ): Promise<Answer> {
    return send(`${this.proxy.url}/api/v1${path}`, method, options);
  }

  async client(
    permissions: readonly string[] = ALL_PERMISSIONS,
    more: { type?: 'api' | 'user'; email?: string } = {},
  ): Promise<Client> {
    const { publicKeyPem } = this.keys;
    const request = { name: 'client', type: 'api', publicKeyPem, permissions, ...more };
    const clientId = textOf(await this.sim('POST', '/sim/clients', request), 'clientId');
    const token = await this.token(clientId);
    return {
      clientId,
      token,
      call: (method, path, body) => this.anyone(method, path, { token, body }),
    };
  }

  /** Calls the API as the client that prepares the test. Throws when the call is refused. */
  async api(method: string, path: string, body?: unknown): Promise<Answer> {
    if (this.#crew === undefined || this.#crewCalls >= CALLS_OF_ONE_CLIENT) {
      this.#crew = await this.client();
      this.#crewCalls = 0;
    }
    this.#crewCalls += 1;
    const answer = await this.#crew.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** Creates a vault with these settings and subscribes every stream at `<receiver>/<vaultId>`. */
  async vault(settings: Json = {}): Promise<Vault> {
    const made = await this.sim('POST', '/sim/vaults', { name: 'vault', ...settings });
    const vaultId = textOf(made, 'vaultId');
    await this.subscribe(vaultId);
    const { externalSigner } = vaultRecord.parse(made);
    return { vaultId, xprv: externalSigner?.xprv };
  }

  async subscribe(vaultId: string, streams: readonly string[] = ALL_STREAMS): Promise<void> {
    const webhookUrl = `${this.receiver.url}/${vaultId}`;
    await this.api('POST', `/subscriptions/${vaultId}`, { webhookUrl, streams });
  }

  /** Creates the next address of the account with this name. */
  async address(
    vault: Vault,
    network: string,
    account = 'main',
    more: Json = {},
  ): Promise<Address> {
    const { vaultId } = vault;
    const { accountId } = (await this.api('POST', '/accounts', { vaultId, name: account })).body;
    const made = await this.api('POST', '/addresses', { accountId, network, ...more });
    return addressRecord.parse(made.body);
  }

  /** An outsider pays the address. Returns the hash. */
  async deposit(to: Address, asset: string, amount: string, memo?: string): Promise<string> {
    const { network, addressId } = to;
    const made = await this.sim('POST', '/sim/deposits', {
      network,
      addressId,
      asset: assetId(network, asset),
      amount,
      ...(memo === undefined ? {} : { memo }),
    });
    return textOf(made, 'blockchainHash');
  }

  async mine(network: string, count = 1): Promise<void> {
    await this.sim('POST', '/sim/blocks', { network, count });
  }

  async reorg(network: string, depth: number, drop: readonly string[] = []): Promise<void> {
    await this.sim('POST', '/sim/reorgs', { network, depth, drop });
  }

  /** Pays, mines beyond the deepest depth and drops the notifications. */
  async fund(to: Address, asset: string, amount: string): Promise<void> {
    await this.deposit(to, asset, amount);
    await this.mine(to.network, 70);
    await this.forget();
  }

  /**
   * `POST /transactions` with the fields that every order needs. Throws when the call is refused.
   */
  async order(vault: Vault, request: Json & { asset: string }): Promise<Json> {
    const [network = ''] = request.asset.split(':');
    const { vaultId } = vault;
    this.#orders += 1;
    const orderId = `order-${this.#orders}`;
    const destinationAddress = outsideOn(network);
    const order = { orderId, vaultId, network, amount: '1000', destinationAddress };
    return (await this.api('POST', '/transactions', { ...order, ...request })).body;
  }

  async transaction(transactionId: unknown): Promise<Json> {
    return (await this.api('GET', `/transactions/${String(transactionId)}`)).body;
  }

  async faults(set: Json): Promise<void> {
    await this.sim('PUT', '/sim/faults', set);
  }

  /** Moves virtual time; 0 runs what is due now, deliveries included. */
  async advance(milliseconds: number): Promise<void> {
    await this.sim('POST', '/sim/clock', { advanceMs: milliseconds });
  }

  /** Core time, Unix epoch milliseconds. */
  async now(): Promise<number> {
    return z.number().parse((await this.sim('GET', '/sim/clock'))['now']);
  }

  /** Notifications delivered since the last call. */
  async notifications(stream?: Notification['stream']): Promise<Notification[]> {
    await this.advance(0);
    const { hits } = this.receiver;
    const fresh = hits.slice(this.#seen).map(({ body }) => body);
    this.#seen = hits.length;
    return fresh.filter((body) => stream === undefined || body.stream === stream);
  }

  /** The notifications delivered since the last call, one line each. */
  async received(stream?: Notification['stream']): Promise<string[]> {
    return (await this.notifications(stream)).map(notificationLine);
  }

  async forget(): Promise<void> {
    await this.notifications();
  }
}

export interface Vault {
  readonly vaultId: string;
  /** Extended private key of an external signer. */
  readonly xprv: string | undefined;
}

const vaultRecord = z.looseObject({
  externalSigner: z.object({ xprv: z.string() }).optional(),
});

const addressRecord = z.looseObject({
  addressId: z.string(),
  accountId: z.string(),
  vaultId: z.string(),
  network: z.string(),
  networkAddress: z.string(),
  hdpath: z.string(),
});
export type Address = z.infer<typeof addressRecord>;

/** `ETH` on ethereum is `ethereum:ETH`. */
function assetId(network: string, symbol: string): string {
  return symbol.startsWith(`${network}:`) ? symbol : `${network}:${symbol}`;
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the stage has not started');
  return part;
}

const SEED = 7;

/**
 * Starts one core for all tests of a file and restores its start before each test. At the end every
 * row of the group must be proved, every call must match the document, every webhook must match the
 * wire schema, and the core must have reported no bug.
 */
export function setStage(group: Group): Stage {
  const stage = new Stage();
  const missingRows = watchCoverage(group);
  beforeAll(() => stage.start(SEED));
  beforeEach(() => stage.reset());
  // One hook for all checks: when a hook throws, later hooks do not run, and the core would stay
  // alive after the tests.
  afterAll(async () => {
    await stage.stop();
    const wrong = [...missingRows(), ...stage.wrongs()];
    if (wrong.length > 0) throw new Error(`beside the tests themselves:\n${wrong.join('\n')}`);
  });
  return stage;
}
