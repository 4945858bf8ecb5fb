import { createHash, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { Notification } from '../../../src/wire/notification.ts';
import { send, textOf } from './call.ts';
import type { Answer, Json } from './call.ts';
import { Contract } from './contract.ts';
import { startContractProxy } from './contract-proxy.ts';
import type { ContractProxy } from './contract-proxy.ts';
import { startCoreProcess } from './core-process.ts';
import type { CoreProcess } from './core-process.ts';
import { watchCoverage } from './coverage.ts';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import type { Group } from './rows.ts';
import { notificationLine } from './told.ts';
import { outsideOn } from '../outside.ts';

export const ALL_PERMISSIONS = ['Vault:read', 'manageVaults', 'manageNotifications'];
export const ALL_STREAMS = ['outgoing', 'blockchain', 'incoming'];
/** Far beyond any virtual clock of the suite: 2060. */
const EXPIRY_S = 2_840_140_800;
/** A client may call 100 times a minute, and the clock stands still: then the next one calls. */
const CALLS_OF_ONE_CLIENT = 90;

export interface Client {
  readonly clientId: string;
  readonly token: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
  /** Hex SHA-256 of the DER SubjectPublicKeyInfo. */
  readonly kid: string;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    privateKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    kid: createHash('sha256').update(der).digest('hex'),
  };
}

/** The core, the proxy before it and a receiver of webhooks, for one test file. */
export class Stage {
  readonly keys: KeyPair = newKeyPair();
  #core: CoreProcess | undefined;
  #proxy: ContractProxy | undefined;
  #receiver: Receiver | undefined;
  #contract: Contract | undefined;
  #crew: Client | undefined;
  #crewCalls = 0;
  #orders = 0;
  #seen = 0;

  get core(): CoreProcess {
    return started(this.#core);
  }

  get proxy(): ContractProxy {
    return started(this.#proxy);
  }

  get receiver(): Receiver {
    return started(this.#receiver);
  }

  get contract(): Contract {
    return started(this.#contract);
  }

  async start(seed: number): Promise<void> {
    this.#core = await startCoreProcess(seed);
    const document = await send(`${this.#core.url}/openapi.json`, 'GET');
    this.#contract = new Contract(document.body);
    this.#proxy = await startContractProxy(this.#core.url, this.#contract);
    this.#receiver = await startReceiver();
  }

  async stop(): Promise<void> {
    await this.#proxy?.close();
    await this.#core?.stop();
    await this.#receiver?.close();
  }

  /** Broken promises of the document, webhooks that were none, and bugs that the core told of. */
  wrongs(): string[] {
    return [
      ...(this.#proxy?.violations ?? []),
      ...(this.#receiver?.malformed ?? []),
      ...(this.#core?.complaints() ?? []),
    ];
  }

  /** As right after the start. */
  async reset(): Promise<void> {
    await this.sim('POST', '/sim/reset');
    this.receiver.clear();
    this.#seen = 0;
    this.#orders = 0;
    this.#crew = undefined;
  }

  /** A call of the control port; its answer, or an error when it is refused. */
  async sim(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await send(`${this.core.controlUrl}${path}`, method, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A call of the API with any token, or none. */
  anyone(
    method: string,
    path: string,
    options: { token?: string | undefined; body?: unknown; text?: string } = {},
  ): Promise<Answer> {
    return send(`${this.proxy.url}/api/v1${path}`, method, options);
  }

  /** A self-signed JWT as the specification describes it, with what is given changed. */
  async token(clientId: string, changes: { header?: Json; payload?: Json } = {}): Promise<string> {
    const { kid, privateKey } = this.keys;
    return new SignJWT({ iss: clientId, sub: kid, exp: EXPIRY_S, ...changes.payload })
      .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid, ...changes.header })
      .sign(privateKey);
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

  /** A call of whoever sets the scene; an error when it is refused. */
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

  /** A vault of these settings, subscribed to every stream at `<receiver>/<vaultId>`. */
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

  /** The next address of the account of this name. */
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

  /** Someone outside pays; the hash. */
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

  /** Pays, mines beyond the deepest depth and forgets what was told. */
  async fund(to: Address, asset: string, amount: string): Promise<void> {
    await this.deposit(to, asset, amount);
    await this.mine(to.network, 70);
    await this.forget();
  }

  /** `POST /transactions` with what every order needs; an error when it is refused. */
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

  /** Moves virtual time; 0 settles what is due now, deliveries included. */
  async advance(milliseconds: number): Promise<void> {
    await this.sim('POST', '/sim/clock', { advanceMs: milliseconds });
  }

  /** Core time, Unix epoch milliseconds. */
  async now(): Promise<number> {
    return z.number().parse((await this.sim('GET', '/sim/clock'))['now']);
  }

  /** Notifications delivered since the last look. */
  async notifications(stream?: Notification['stream']): Promise<Notification[]> {
    await this.advance(0);
    const { hits } = this.receiver;
    const fresh = hits.slice(this.#seen).map(({ body }) => body);
    this.#seen = hits.length;
    return fresh.filter((body) => stream === undefined || body.stream === stream);
  }

  /** The same, one line each. */
  async told(stream?: Notification['stream']): Promise<string[]> {
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
 * Sets the stage for a test file: one core for all its tests, put back to its start before each. In
 * the end every row of the group must have been proved, every call must have kept to the document,
 * every webhook to the wire schema, and the core must not have complained.
 */
export function setStage(group: Group): Stage {
  const stage = new Stage();
  const missingRows = watchCoverage(group);
  beforeAll(() => stage.start(SEED));
  beforeEach(() => stage.reset());
  // One hook for all: of several, those after one that throws would not run, and the core would
  // outlive the tests.
  afterAll(async () => {
    await stage.stop();
    const wrong = [...missingRows(), ...stage.wrongs()];
    if (wrong.length > 0) throw new Error(`beside the tests themselves:\n${wrong.join('\n')}`);
  });
  return stage;
}
