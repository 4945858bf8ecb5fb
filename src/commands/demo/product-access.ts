import { createHash, randomBytes } from 'node:crypto';
import { ProductApi } from './product-api.ts';

/** Holders of a token: a person with all rights, and a program that books credits. */
export type DemoRole = 'admin' | 'crediting';

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Where the product is reached, and with which tokens. */
export class ProductAccess {
  readonly port: number;
  readonly url: string;
  readonly webhookUrl: string;
  readonly tokens: Readonly<Record<DemoRole, string>> = {
    admin: newToken(),
    crediting: newToken(),
  };
  readonly #pathToken = randomBytes(32).toString('hex');

  constructor(port: number) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.webhookUrl = `${this.url}/hooks/${this.#pathToken}`;
  }

  /** The product's API with the token of a role; `url` names one daemon of several. */
  apiOf(role: DemoRole, url = this.url): ProductApi {
    return new ProductApi({ url, token: this.tokens[role] });
  }

  /** The configuration of who may enter. */
  get configuration() {
    return {
      intake: { pathTokens: [this.#pathToken] },
      api: {
        tokens: Object.entries(this.tokens).map(([role, token]) => ({
          name: `demo-${role}`,
          role,
          sha256: createHash('sha256').update(token).digest('hex'),
        })),
      },
      console: { public: true },
    };
  }
}
