import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../../custody/clock.ts';
import { CommandFailed } from '../../../daemon/process/terminal.ts';
import type { Environment } from '../../../ops/config/reading/substitution.ts';
import { journalAddress } from '../../../store/postgres/address.ts';
import { initJournal } from '../../../store/postgres/init.ts';
import { Daemon, type DemoContext } from '../daemon.ts';
import type { CreditLatency } from '../end/credit-latency.ts';
import type { Failover } from '../end/summary.ts';
import type { ProductAccess } from '../product-access.ts';
import { freePort } from '../free-port.ts';
import { PostgresCluster } from '../postgres/cluster.ts';
import type { Product } from '../product.ts';
import {
  failingApi,
  lostAnswers,
  missingMemo,
  reorgAfterCredit,
  reorgBeforeCredit,
  SILENT_MS,
  type Episode,
  type Stage,
} from '../story/episodes.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Proxy } from './proxy.ts';

const NAMES = ['a', 'b'] as const;

/** The database's servers; the first is the primary at first. */
const SERVERS = ['db1', 'db2', 'db3'] as const;

/** The role of the receivers in PostgreSQL: it may append to the journal, and change nothing. */
const RUNTIME_ROLE = 'receivers';

/** Interval between two questions whether something has come about. */
const LOOK_INTERVAL_MS = 100;

/** Time between the kill and the restart of a receiver. */
const DEAD_MS = 5_000;

interface Receiver {
  readonly name: string;
  readonly daemon: Daemon;
}

/** The product as two receivers behind a proxy, with their journal in PostgreSQL. */
export class Receivers implements Product {
  readonly storePaths: readonly string[];
  readonly #cluster: PostgresCluster;
  readonly #access: ProductAccess;
  readonly #receivers: readonly Receiver[];
  readonly #proxy: Proxy;
  readonly #acknowledgements = new Acknowledgements();
  readonly #kills: Failover['kills'][number][] = [];

  private constructor(
    { access }: DemoContext,
    own: {
      readonly cluster: PostgresCluster;
      readonly receivers: readonly Receiver[];
      readonly storePaths: readonly string[];
    },
  ) {
    this.#cluster = own.cluster;
    this.#access = access;
    this.#receivers = own.receivers;
    this.storePaths = own.storePaths;
    const urls = own.receivers.map(({ daemon }) => daemon.url);
    this.#proxy = new Proxy(urls, (delivery) => this.#acknowledgements.take(delivery));
  }

  /** Starts PostgreSQL, and creates the journal and the receivers' configurations. */
  static async create(context: DemoContext, environment: Environment): Promise<Receivers> {
    const cluster = new PostgresCluster(SERVERS, environment);
    await cluster.start();
    try {
      return await Receivers.#on(cluster, context);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  static async #on(cluster: PostgresCluster, context: DemoContext): Promise<Receivers> {
    await cluster.sql(
      `CREATE ROLE ${RUNTIME_ROLE} LOGIN PASSWORD '${cluster.password}' IN ROLE pg_monitor`,
    );
    const address = journalAddress(cluster.url());
    await initJournal(address, { runtimeRole: RUNTIME_ROLE, nowMs: Date.now() });
    const secret = randomBytes(32).toString('hex');
    const receivers: Receiver[] = [];
    const storePaths: string[] = [];
    for (const name of NAMES) {
      const port = await freePort();
      const replica = join(context.folder, `${name}.db`);
      const receiver = { name, url: `http://127.0.0.1:${port}`, secret, replica };
      const store = cluster.url(RUNTIME_ROLE);
      const own = { name, port, storing: { store, receiver } };
      receivers.push({ name, daemon: new Daemon(context, own) });
      storePaths.push(replica);
    }
    return new Receivers(context, { cluster, receivers, storePaths });
  }

  get episodes(): readonly Episode[] {
    return [
      (stage) => this.#killOwner(stage),
      (stage) => this.#killPrimary(stage),
      reorgBeforeCredit,
      reorgAfterCredit,
      missingMemo,
      lostAnswers,
      (stage) => this.#silenceOwner(stage),
      failingApi,
    ];
  }

  get parts(): readonly string[] {
    const urls = this.#receivers.map(({ name, daemon }) => `${name} ${daemon.url}`);
    const servers = this.#cluster.servers.map(
      ({ name, server }) => `${name} 127.0.0.1:${server.port}`,
    );
    return [
      `receivers ${urls.join(', ')}   (the addresses above are those of the proxy)`,
      `database  ${servers.join(', ')}   (primary ${this.#cluster.primary.name})`,
    ];
  }

  async start(): Promise<void> {
    const { port } = this.#access;
    try {
      await this.#proxy.listen(port);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      throw new CommandFailed(`the proxy cannot listen: ${cause}\nChoose another --port.`);
    }
    await Promise.all(this.#receivers.map(({ daemon }) => daemon.start()));
    while (!this.#proxy.areAllReady) await systemClock.sleep(LOOK_INTERVAL_MS);
  }

  async takeLatency(latency: CreditLatency): Promise<void> {
    for (const receiver of this.#receivers) await this.#takeLatencyOf(receiver, latency);
  }

  async #takeLatencyOf({ daemon }: Receiver, latency: CreditLatency): Promise<void> {
    await latency.take(this.#access.apiOf('admin', daemon.url));
  }

  async failover(): Promise<Failover> {
    const lost = await this.#acknowledgements.lost(this.#access.apiOf('admin'));
    const { count } = this.#acknowledgements;
    return { kills: this.#kills, acknowledged: count, lost: lost.length };
  }

  async stop(): Promise<void> {
    // First, because a daemon that stops waits for its connections.
    this.#proxy.close();
    await Promise.all(this.#receivers.map(({ daemon }) => daemon.stop()));
    await this.#cluster.stop();
  }

  async #killOwner({ latency, over, note }: Stage): Promise<void> {
    const owner = await this.#owner(over);
    if (owner === undefined) return;
    await this.#takeLatencyOf(owner, latency);
    const killedAtMs = performance.now();
    await owner.daemon.kill();
    note(`receiver ${owner.name}, the owner of the journal, was killed (SIGKILL) amid deliveries`);
    await this.#serviceReturns({ killed: `receiver ${owner.name}`, killedAtMs, over, note });
    await systemClock.sleep(DEAD_MS, over);
    await owner.daemon.start();
    note(`receiver ${owner.name} is back, and follows`);
  }

  async #killPrimary({ over, note }: Stage): Promise<void> {
    const dead = this.#cluster.primary;
    const killedAtMs = performance.now();
    await dead.server.kill();
    note(`the primary ${dead.name} was killed (SIGKILL): nothing is acknowledged meanwhile`);
    await this.#cluster.promote();
    note(`the standby ${this.#cluster.primary.name} is the primary now, and the other follows it`);
    await this.#serviceReturns({ killed: `primary ${dead.name}`, killedAtMs, over, note });
    await this.#cluster.renew(dead);
    note(`${dead.name} is back, as a new standby`);
  }

  async #silenceOwner({ over, note }: Stage): Promise<void> {
    const owner = await this.#owner(over);
    if (owner === undefined) return;
    owner.daemon.suspend();
    const seconds = SILENT_MS / 1_000;
    note(`receiver ${owner.name} answers nothing for ${seconds} s: the other one takes over`);
    try {
      await systemClock.sleep(SILENT_MS, over);
    } finally {
      owner.daemon.resume();
    }
    note(`receiver ${owner.name} answers again: it is refused as the owner, and follows`);
  }

  /** Waits for the next acknowledgement, and records how long it took since the kill. */
  async #serviceReturns(outage: {
    readonly killed: string;
    /** On the clock of `performance.now()`. */
    readonly killedAtMs: number;
    readonly over: AbortSignal;
    readonly note: (text: string) => void;
  }): Promise<void> {
    const { killed, killedAtMs, over, note } = outage;
    const isBack = await this.#acknowledgements.next(over);
    const seconds = isBack ? Math.round((performance.now() - killedAtMs) / 100) / 10 : null;
    this.#kills.push({ killed, outageSeconds: seconds });
    if (seconds !== null) note(`deliveries are acknowledged again, ${seconds} s after the kill`);
  }

  /** The receiver that owns the journal; undefined if the signal aborts before there is one. */
  async #owner(over: AbortSignal): Promise<Receiver | undefined> {
    while (!over.aborted) {
      for (const receiver of this.#receivers) {
        if ((await roleOf(receiver)) === 'owner') return receiver;
      }
      await systemClock.sleep(LOOK_INTERVAL_MS, over);
    }
    return undefined;
  }
}

async function roleOf({ daemon }: Receiver): Promise<string | undefined> {
  const answer = await fetch(`${daemon.url}/readyz`);
  const { receiver } = (await answer.json()) as { receiver?: { role: string } };
  return receiver?.role;
}
