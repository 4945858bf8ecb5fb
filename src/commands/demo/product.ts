import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { CoreClient } from './core-client.ts';
import { ProductApi } from './product-api.ts';
import { NETWORKS } from './story/scene.ts';

interface ServeReady {
  readonly url: string;
}

/** Holders of a token: a person with all rights, and a program that books credits. */
type DemoRole = 'admin' | 'crediting';

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The demo's daemon: configuration, secrets, process and API. */
export class Product {
  readonly storePath: string;
  readonly url: string;
  readonly webhookUrl: string;
  readonly tokens: Readonly<Record<DemoRole, string>> = {
    admin: newToken(),
    crediting: newToken(),
  };
  readonly #configPath: string;
  readonly #signal: AbortSignal;
  #child: Child<ServeReady> | undefined;

  constructor(options: {
    folder: string;
    port: number;
    coreUrl: string;
    client: CoreClient;
    signal: AbortSignal;
  }) {
    const { folder, port, coreUrl, client } = options;
    this.#signal = options.signal;
    this.storePath = join(folder, 'store.db');
    this.#configPath = join(folder, 'config.json');
    const pathToken = randomBytes(32).toString('hex');
    this.url = `http://127.0.0.1:${port}`;
    this.webhookUrl = `${this.url}/hooks/${pathToken}`;
    writeFileSync(join(folder, 'custody.key'), client.privateKeyPem, { mode: 0o600 });
    const config = {
      listen: { host: '127.0.0.1', port },
      store: `sqlite:${this.storePath}`,
      intake: { pathTokens: [pathToken] },
      custody: {
        baseUrl: coreUrl,
        clientId: client.clientId,
        privateKeyFile: 'custody.key',
        webhookUrl: this.webhookUrl,
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
      api: {
        tokens: Object.entries(this.tokens).map(([role, token]) => ({
          name: `demo-${role}`,
          role,
          sha256: createHash('sha256').update(token).digest('hex'),
        })),
      },
      console: { public: true },
      log: { level: 'warn' },
    };
    writeFileSync(this.#configPath, JSON.stringify(config, null, 2), { mode: 0o600 });
  }

  /** The daemon's API with the token of a role. */
  apiOf(role: DemoRole): ProductApi {
    return new ProductApi({ url: this.url, token: this.tokens[role] });
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
