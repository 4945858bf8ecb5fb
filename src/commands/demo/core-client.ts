import { createPrivateKey } from 'node:crypto';
import { request } from 'undici';
import { generateKeyPair, TokenSource } from '../../custody/token.ts';

/** The core refused a request of the demo. */
export class CoreRefused extends Error {
  override readonly name = 'CoreRefused';
}

async function call(
  url: string,
  options: { method: 'GET' | 'POST' | 'PUT' | 'PATCH'; body?: unknown; token?: string },
): Promise<unknown> {
  const answer = await request(url, {
    method: options.method,
    headers: {
      'content-type': 'application/json',
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    body: options.body === undefined ? null : JSON.stringify(options.body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 400) {
    throw new CoreRefused(`${options.method} ${url}: ${answer.statusCode} ${text.slice(0, 300)}`);
  }
  return text === '' ? null : (JSON.parse(text) as unknown);
}

/** The core's control calls (`/sim/…`), without credentials. */
export class CoreControl {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  post(path: string, body: unknown): Promise<unknown> {
    return call(`${this.#url}${path}`, { method: 'POST', body });
  }

  put(path: string, body: unknown): Promise<unknown> {
    return call(`${this.#url}${path}`, { method: 'PUT', body });
  }

  get(path: string): Promise<unknown> {
    return call(`${this.#url}${path}`, { method: 'GET' });
  }
}

/** An API client of the core with its own key, and so its own request budget. */
export class CoreClient {
  readonly clientId: string;
  readonly privateKeyPem: string;
  readonly #url: string;
  readonly #tokens: TokenSource;

  private constructor(options: { url: string; clientId: string; privateKeyPem: string }) {
    this.clientId = options.clientId;
    this.privateKeyPem = options.privateKeyPem;
    this.#url = options.url;
    this.#tokens = new TokenSource({
      clientId: options.clientId,
      privateKey: createPrivateKey(options.privateKeyPem),
      now: () => Date.now(),
    });
  }

  static async create(options: {
    control: CoreControl;
    url: string;
    name: string;
  }): Promise<CoreClient> {
    const { publicKeyPem, privateKeyPem } = await generateKeyPair();
    const permissions = ['Vault:read', 'manageVaults', 'manageNotifications'];
    const body = { name: options.name, type: 'api', publicKeyPem, permissions };
    const created = (await options.control.post('/sim/clients', body)) as { clientId: string };
    return new CoreClient({ url: options.url, clientId: created.clientId, privateKeyPem });
  }

  async post(path: string, body: unknown): Promise<unknown> {
    const token = await this.#tokens.bearer();
    return call(`${this.#url}/api/v1${path}`, { method: 'POST', body, token });
  }

  async patch(path: string): Promise<unknown> {
    const token = await this.#tokens.bearer();
    return call(`${this.#url}/api/v1${path}`, { method: 'PATCH', token });
  }
}
