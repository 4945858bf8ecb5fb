import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { CoreClient } from './core-client.ts';
import type { ProductAccess } from './product-access.ts';
import { NETWORKS } from './story/scene.ts';

interface ServeReady {
  readonly url: string;
}

/** What every daemon of a demo needs. */
export interface DemoContext {
  /** The demo's folder, for configurations, secrets and stores. */
  readonly folder: string;
  readonly access: ProductAccess;
  readonly coreUrl: string;
  readonly client: CoreClient;
  /** Ends the start of a daemon. */
  readonly signal: AbortSignal;
}

/** The keys of the configuration that say where the books are. */
interface StoreKeys {
  readonly store: string;
  readonly receiver?: {
    readonly name: string;
    readonly url: string;
    readonly secret: string;
    readonly replica: string;
  };
}

/** One `counterfoil serve`: its configuration and its process. */
export class Daemon {
  readonly url: string;
  readonly #configPath: string;
  readonly #signal: AbortSignal;
  #child: Child<ServeReady> | undefined;

  /** `name`: that of the configuration's file. */
  constructor(
    { folder, access, coreUrl, client, signal }: DemoContext,
    own: { readonly name: string; readonly port: number; readonly storing: StoreKeys },
  ) {
    this.#signal = signal;
    this.url = `http://127.0.0.1:${own.port}`;
    this.#configPath = join(folder, `${own.name}.json`);
    writeFileSync(join(folder, 'custody.key'), client.privateKeyPem, { mode: 0o600 });
    const config = {
      listen: { host: '127.0.0.1', port: own.port },
      ...own.storing,
      ...access.configuration,
      custody: {
        baseUrl: coreUrl,
        clientId: client.clientId,
        privateKeyFile: 'custody.key',
        webhookUrl: access.webhookUrl,
        vaults: 'all',
      },
      crediting: {
        default: { confirmations: 6 },
        networks: Object.fromEntries(
          NETWORKS.map(({ key, depth }) => [key, { confirmations: depth }]),
        ),
        assets: { 'bitcoin:BTC': { minimumAmount: '30000' } },
      },
      // The sweep finds what webhooks did not report. This interval leaves most of the hour's
      // requests to the verification of due deposits.
      reconcile: { sweep: '*/10 * * * * *', graceSeconds: 20 },
      log: { level: 'warn' },
    };
    writeFileSync(this.#configPath, JSON.stringify(config, null, 2), { mode: 0o600 });
  }

  async start(): Promise<void> {
    const args = ['serve', '--config', this.#configPath, '--json'];
    this.#child = await Child.start<ServeReady>(args, { signal: this.#signal });
  }

  /** Kills the daemon at once, like a power cut. */
  async kill(): Promise<void> {
    await this.#child?.kill();
  }

  /** Suspends the daemon: it answers nothing until `resume`. */
  suspend(): void {
    this.#child?.suspend();
  }

  resume(): void {
    this.#child?.resume();
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
  }
}
