import { onTestFinished } from 'vitest';
import { MemoryRequestLog, type RequestLog } from '../../src/custody/budget/request-log.ts';
import type { Attempt } from '../../src/custody/call/caller.ts';
import { CustodyClient } from '../../src/custody/client.ts';
import type { Clock } from '../../src/custody/clock.ts';
import type { CreditingPolicy } from '../../src/domain/policy/policy.ts';
import type { Deposit } from '../../src/domain/deposit/deposit.ts';
import { Sweep, type SweepOptions } from '../../src/reconcile/sweep/sweep.ts';
import { openForReading } from '../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../src/store/sqlite/reads/sqlite-reads.ts';
import type { ReconciliationRow } from '../../src/store/records.ts';
import { listenOnLoopback, type LoopbackReceiver } from '../loopback-receiver.ts';
import { ALL_PERMISSIONS, KEYS } from '../simulator/client-keys.ts';
import { startCaller, type Caller } from '../simulator/core-caller.ts';
import { factOf, openLedgerFile, type OpenLedger } from '../store/open-ledger.ts';

/** A webhook as the core sends it, read as far as tests look into it. */
export interface Webhook {
  readonly id: string;
  readonly stream: string;
  readonly type: string;
  readonly vaultId: string;
  readonly blockchainHash?: string;
  readonly transactionId?: string;
  readonly confirmations?: number;
  readonly [field: string]: unknown;
}

export interface DepositAddress {
  readonly vaultId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly networkAddress: string;
}

/** A confirmation at full depth that the core never sent: 700 ETH units under a hash of its own. */
export function forgedConfirmation(depositAddress: DepositAddress, more: object): object {
  const { vaultId, accountId, addressId } = depositAddress;
  return {
    id: 'forged',
    timestamp: 1,
    stream: 'incoming',
    type: 'confirmation',
    vaultId,
    accountId,
    addressId,
    network: 'ethereum',
    blockchainHash: '0xf0f0',
    confirmations: 12,
    balanceChanges: [{ asset: ETH, amount: '700', tags: [] }],
    ...more,
  };
}

/** As `PUT /sim/faults` takes it, and of a hang how many requests are answered before it. */
export interface ApiFault {
  readonly fault: string;
  readonly errorCode?: string;
  readonly operation?: string;
  readonly count?: number;
  readonly answeredFirst?: number;
}

export const ETH = 'ethereum:ETH';
export const GRACE_MS = 600_000;

/** Three deep on every network: a depth that ethereum and bitcoin both publish. */
export const THREE_DEEP: CreditingPolicy = {
  default: { confirmations: 3 },
  networks: {},
  assets: {},
};

/**
 * A simulated core on a virtual clock, a SQLite store in a file, the real client between them, and
 * a receiver of the core's webhooks that can lose some on request. One time rules them all: a pause
 * of the client moves the core's clock.
 */
export class Stage {
  readonly caller: Caller;
  readonly open: OpenLedger;
  readonly reads: SqliteReads;
  readonly client: CustodyClient;
  readonly sweep: Sweep;
  /** Every attempt against the API since the last look. */
  readonly attempts: Attempt[] = [];
  /** Every webhook that ever came, by id, whatever became of it. */
  readonly heard = new Map<string, Webhook>();
  /** Webhooks that were lost on the way, to be delivered late or never. */
  readonly lost: Webhook[] = [];
  /** Webhooks for which it holds are answered 200 and lost. */
  loses: (webhook: Webhook) => boolean = () => false;
  /** What lost webhooks are answered instead of 200, as by a proxy before a daemon that is down. */
  answersLost = 200;
  readonly #waits: Waits;

  private constructor(parts: {
    caller: Caller;
    open: OpenLedger;
    reads: SqliteReads;
    client: CustodyClient;
    attempts: Attempt[];
    waits: Waits;
    options: Partial<SweepOptions>;
  }) {
    this.caller = parts.caller;
    this.open = parts.open;
    this.reads = parts.reads;
    this.client = parts.client;
    this.attempts = parts.attempts;
    this.#waits = parts.waits;
    this.sweep = this.newSweep(parts.options);
  }

  /** `caller`: a core that several stages share. `baseUrl`: where this stage finds its custody API. */
  static async start(
    options: {
      policy?: CreditingPolicy;
      log?: RequestLog;
      caller?: Caller;
      baseUrl?: string;
    } & Partial<SweepOptions> = {},
  ): Promise<Stage> {
    const { policy = THREE_DEEP, log = new MemoryRequestLog(), ...others } = options;
    const { caller = await stageCaller(), baseUrl = caller.core.url, ...sweepOptions } = others;
    const { open, path } = await openLedgerFile(policy);
    const reads = new SqliteReads(openForReading(path));
    onTestFinished(() => reads.close());
    const { publicKeyPem, privateKey } = KEYS;
    const body = { name: 'product', type: 'api', publicKeyPem, permissions: ALL_PERMISSIONS };
    const { clientId } = await caller.sim('POST', '/sim/clients', body);
    const waits: Waits = { rings: false, holds: 0 };
    const attempts: Attempt[] = [];
    const client = new CustodyClient({
      baseUrl,
      clientId: String(clientId),
      privateKey,
      clock: clockOf(caller, waits),
      random: () => 0.5,
      log,
      observe: (attempt) => attempts.push(attempt),
    });
    onTestFinished(() => client.close());
    return new Stage({ caller, open, reads, client, attempts, waits, options: sweepOptions });
  }

  get now(): number {
    return this.caller.core.clock.now();
  }

  /** A sweep with a memory of its own, as after a restart. */
  newSweep(options: Partial<SweepOptions> = {}): Sweep {
    return new Sweep({
      reads: this.reads,
      submit: (facts) => this.open.commit(facts),
      custody: this.client,
      now: () => this.now,
      graceMs: GRACE_MS,
      ...options,
    });
  }

  /** Runs a sweep and answers its row; throws when it could not be recorded. */
  async run(sweep: Sweep = this.sweep): Promise<ReconciliationRow> {
    const result = await sweep.run();
    if (result.kind !== 'ran') throw new Error(`not recorded: ${result.cause}`);
    return result.run;
  }

  /** An address in a vault of its own, or in a given one, whose webhooks come here. */
  async depositAddress(network = 'ethereum', given?: string): Promise<DepositAddress> {
    const { caller } = this;
    const vaultId = given ?? (await caller.vault());
    const webhookUrl = await this.webhookUrl();
    const streams = ['outgoing', 'blockchain', 'incoming'];
    await this.api('POST', `/subscriptions/${vaultId}`, { webhookUrl, streams });
    const accountId = await caller.account(vaultId);
    const address = await caller.address(accountId, network);
    return { vaultId, accountId, ...address };
  }

  /** Someone pays an address; answers the hash. */
  async pay(
    depositAddress: DepositAddress,
    amount: string | number,
    more: object = {},
  ): Promise<string> {
    const { addressId } = depositAddress;
    const network = 'ethereum';
    const request = { network, addressId, asset: ETH, amount: String(amount), ...more };
    const { blockchainHash } = await this.caller.sim('POST', '/sim/deposits', request);
    await this.deliverDue();
    return String(blockchainHash);
  }

  /** Pays and mines until the payment is this deep. */
  async paid(
    depositAddress: DepositAddress,
    amount: string | number,
    depth: number,
  ): Promise<string> {
    const hash = await this.pay(depositAddress, amount);
    await this.mine(depth);
    return hash;
  }

  async mine(count: number, network = 'ethereum'): Promise<void> {
    await this.caller.sim('POST', '/sim/blocks', { network, count });
    await this.deliverDue();
  }

  async reorg(depth: number, drop: readonly string[], network = 'ethereum'): Promise<void> {
    await this.caller.sim('POST', '/sim/reorgs', { network, depth, drop });
    await this.deliverDue();
  }

  /** Waits until everything that is due has been delivered. */
  deliverDue(): Promise<void> {
    return this.caller.advance(1_000);
  }

  /** Orders a transfer; answers its transactionId. */
  async order(from: DepositAddress, to: string, amount: string): Promise<string> {
    const made = await this.api('POST', '/transactions', {
      orderId: `order-${this.now}-${amount}`,
      vaultId: from.vaultId,
      addressId: from.addressId,
      network: 'ethereum',
      asset: ETH,
      amount,
      destinationAddress: to,
    });
    await this.deliverDue();
    return String(made['transactionId']);
  }

  async api(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.caller.api(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** API faults from now on; none clears them. */
  async faults(...api: readonly ApiFault[]): Promise<void> {
    const hang = api.find(({ fault }) => fault === 'hang');
    this.#waits.rings = hang !== undefined;
    this.#waits.holds = hang?.answeredFirst ?? 0;
    await this.caller.sim('PUT', '/sim/faults', {
      api: api.map(({ answeredFirst: _, ...fault }) => fault),
    });
  }

  /** A webhook straight to our intake, forged or late. */
  async deliver(body: object): Promise<void> {
    await this.open.commit([factOf(body, this.now)]);
  }

  /** What was lost arrives after all. */
  async deliverLost(): Promise<void> {
    this.loses = () => false;
    for (const webhook of this.lost.splice(0)) await this.deliver(webhook);
  }

  async deposits(blockchainHash?: string): Promise<readonly Deposit[]> {
    const query = blockchainHash === undefined ? {} : { blockchainHash };
    return (await this.reads.deposits(query, { page: 0, pageSize: 1000 })).items;
  }

  /** The only deposit of a hash, in words: `credited`, `held: dust`. */
  async depositState(blockchainHash: string): Promise<string> {
    const deposits = await this.deposits(blockchainHash);
    return deposits
      .map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`))
      .join(', ');
  }

  /** Journalled facts since `seq`, by kind. */
  factsSince(seq: number): string[] {
    return this.open
      .rows<{ kind: string }>('SELECT kind FROM journal WHERE seq > ? ORDER BY seq', seq)
      .map(({ kind }) => kind);
  }

  #receiver: LoopbackReceiver | undefined;

  /** Where the vaults' webhooks come in. */
  async webhookUrl(): Promise<string> {
    this.#receiver ??= await this.#listen();
    return `${this.#receiver.url}/hook`;
  }

  async #listen(): Promise<LoopbackReceiver> {
    const receiver = await listenOnLoopback(async ({ raw }) => {
      const webhook = JSON.parse(raw.toString('utf8')) as Webhook;
      this.heard.set(webhook.id, webhook);
      if (!this.loses(webhook)) {
        await this.open.commit([factOf(raw, this.now)]);
        return 200;
      }
      this.lost.push(webhook);
      return this.answersLost;
    });
    onTestFinished(() => receiver.close());
    return receiver;
  }
}

/** A core on a virtual clock, gone when the test ends. */
export async function stageCaller(): Promise<Caller> {
  const caller = await startCaller();
  onTestFinished(() => caller.stop());
  return caller;
}

interface Waits {
  /** Whether a request's timer rings at once: the virtual clock cannot tell that it hangs. */
  rings: boolean;
  /** Requests whose timer does not ring yet. */
  holds: number;
}

/** The core's time. A pause moves it; the timer of a request rings only when the test lets it hang. */
function clockOf(caller: Caller, waits: Waits): Clock {
  return {
    now: () => caller.core.clock.now(),
    sleep: async (ms, signal) => {
      // Only the timer of a request comes with a signal here: it is aborted by the answer.
      const isHeld = signal !== undefined && (!waits.rings || waits.holds > 0);
      if (!isHeld) {
        await caller.advance(Math.max(0, Math.ceil(ms)));
        return;
      }
      waits.holds = Math.max(0, waits.holds - 1);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  };
}
