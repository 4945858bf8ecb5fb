import { join } from 'node:path';
import { systemClock } from '../../custody/clock.ts';
import { Daemon, type DemoContext } from './daemon.ts';
import type { CreditLatency } from './end/credit-latency.ts';
import type { ProductAccess } from './product-access.ts';
import type { Product } from './product.ts';
import {
  failingApi,
  lostAnswers,
  missingMemo,
  reorgAfterCredit,
  reorgBeforeCredit,
  SILENT_MS,
  type Episode,
  type Stage,
} from './story/episodes.ts';

/** Time between the kill and the restart of the daemon. */
const DEAD_MS = 800;

/** The product as one daemon with its books in a SQLite file. */
export class OneDaemon implements Product {
  readonly parts: readonly string[] = [];
  readonly storePaths: readonly string[];
  readonly #access: ProductAccess;
  readonly #daemon: Daemon;

  constructor(context: DemoContext) {
    const { folder, access } = context;
    const storePath = join(folder, 'store.db');
    this.storePaths = [storePath];
    this.#access = access;
    const storing = { store: `sqlite:${storePath}` };
    this.#daemon = new Daemon(context, { name: 'config', port: access.port, storing });
  }

  get episodes(): readonly Episode[] {
    return [
      reorgBeforeCredit,
      (stage) => this.#crash(stage),
      reorgAfterCredit,
      missingMemo,
      lostAnswers,
      (stage) => this.#silence(stage),
      failingApi,
    ];
  }

  async start(): Promise<void> {
    await this.#daemon.start();
  }

  async takeLatency(latency: CreditLatency): Promise<void> {
    await latency.take(this.#access.apiOf('admin'));
  }

  async failover(): Promise<undefined> {}

  async stop(): Promise<void> {
    await this.#daemon.stop();
  }

  async #crash({ latency, note }: Stage): Promise<void> {
    await this.takeLatency(latency);
    await this.#daemon.kill();
    note('the daemon was killed (SIGKILL) amid deliveries; the core retries what was not answered');
    await systemClock.sleep(DEAD_MS);
    await this.#daemon.start();
    note('the daemon is back');
  }

  async #silence({ over, note }: Stage): Promise<void> {
    this.#daemon.suspend();
    note(`the daemon answers nothing for ${SILENT_MS / 1_000} s: the core will deliver again`);
    try {
      await systemClock.sleep(SILENT_MS, over);
    } finally {
      this.#daemon.resume();
    }
    note('the daemon answers again');
  }
}
