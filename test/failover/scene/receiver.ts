import { join } from 'node:path';
import { Daemon } from '../../e2e/daemon.ts';
import { freePort } from '../../e2e/program.ts';
import { SUPERUSER } from '../../../src/commands/demo/postgres/server.ts';
import { PASSWORD } from '../../postgres/server.ts';
import type { Custody } from './custody.ts';
import { Link } from './link.ts';
import { DATABASE, type Pair } from './pair.ts';

const REPLICA = 'replica.db';
const SECRET = 's'.repeat(32);

/** Keys of `receiver` that differ from their defaults. */
export interface ReceiverSettings {
  readonly standby?: 'optional';
  readonly leaseSeconds?: number;
}

/** What `/readyz` says of a receiver. */
interface Ready {
  readonly status: string;
  readonly receiver: {
    readonly role: string;
    readonly epoch: number | null;
    readonly owner: string | null;
    readonly position: number;
    readonly cause: string | null;
  };
}

/**
 * A built `counterfoil serve` on a fixed port, with a link of its own to each database server, and one
 * through which the other receiver reaches it.
 */
export class FailoverReceiver {
  readonly name: string;
  readonly daemon: Daemon;
  readonly url: string;
  readonly #pair: Pair;
  readonly #links: readonly Link[];
  readonly #fromOthers: Link;
  #isPaused = false;

  /** Made, not yet started. */
  static async create(
    name: string,
    {
      pair,
      custody,
      settings,
    }: { readonly pair: Pair; readonly custody: Custody; readonly settings: ReceiverSettings },
  ): Promise<FailoverReceiver> {
    const links: Link[] = [];
    for (const { server } of pair.servers) links.push(await Link.listen(() => server.port));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const fromOthers = await Link.listen(() => port);
    const forOthers = `http://127.0.0.1:${fromOthers.port}`;
    const hosts = links.map((link) => `127.0.0.1:${link.port}`).join(',');
    const daemon = new Daemon({
      port,
      custody: (own) => custody.configuration(own),
      shared: ({ folder }) => ({
        store: `postgres://${SUPERUSER}:${PASSWORD}@${hosts}/${DATABASE}`,
        receiver: {
          name,
          url: forOthers,
          secret: SECRET,
          replica: join(folder, REPLICA),
          ...settings,
        },
      }),
    });
    return new FailoverReceiver({ name, url, daemon, links, fromOthers, pair });
  }

  private constructor(parts: {
    name: string;
    url: string;
    daemon: Daemon;
    links: readonly Link[];
    fromOthers: Link;
    pair: Pair;
  }) {
    this.name = parts.name;
    this.url = parts.url;
    this.daemon = parts.daemon;
    this.#links = parts.links;
    this.#fromOthers = parts.fromOthers;
    this.#pair = parts.pair;
  }

  get hookUrl(): string {
    return `${this.url}/hooks/${this.daemon.pathTokens[0]}`;
  }

  get replica(): string {
    return join(this.daemon.folder, REPLICA);
  }

  /** The link to the server that is the primary now. */
  get link(): Link {
    const link = this.#links[this.#pair.servers.indexOf(this.#pair.primary)];
    if (link === undefined) throw new Error('each server has a link');
    return link;
  }

  async ready(): Promise<Ready> {
    const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    return (await answer.json()) as Ready;
  }

  /** Suspends the process until `wake`. */
  pause(): void {
    this.#isPaused = true;
    process.kill(this.daemon.pid, 'SIGSTOP');
  }

  wake(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    process.kill(this.daemon.pid, 'SIGCONT');
  }

  /** Cuts it off from both servers. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  stall(): void {
    for (const link of this.#links) link.stall();
  }

  /** Ends what `cut` and `stall` began. */
  reconnect(): void {
    for (const link of this.#links) link.open();
  }

  /** What the other receiver hands over does not arrive any more, until `letOthersIn`. */
  shutOthersOut(how: 'stall' | 'cut'): void {
    if (how === 'stall') this.#fromOthers.stall();
    else this.#fromOthers.cut();
  }

  letOthersIn(): void {
    this.#fromOthers.open();
  }

  async remove(): Promise<void> {
    await this.daemon.remove();
    this.#fromOthers.close();
    for (const link of this.#links) link.close();
  }
}
