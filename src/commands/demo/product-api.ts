import { request } from 'undici';

/** A call of the daemon's API that failed, for example during its restart. */
export class ProductUnreachable extends Error {
  override readonly name = 'ProductUnreachable';
}

/** A call that the daemon's API refused. */
export class ProductRefused extends Error {
  override readonly name = 'ProductRefused';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Calls the daemon's API with one token. Throws `ProductUnreachable` and `ProductRefused`. */
export class ProductApi {
  readonly #url: string;
  readonly #token: string;

  constructor(options: { url: string; token: string }) {
    this.#url = options.url;
    this.#token = options.token;
  }

  async get<Body>(path: string): Promise<Body> {
    return JSON.parse(await this.#call('GET', path)) as Body;
  }

  async post<Body>(path: string, body: unknown): Promise<Body> {
    return JSON.parse(await this.#call('POST', path, body)) as Body;
  }

  text(path: string): Promise<string> {
    return this.#call('GET', path);
  }

  async #call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<string> {
    let status;
    let text;
    try {
      const answer = await request(`${this.#url}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
      status = answer.statusCode;
      text = await answer.body.text();
    } catch (error) {
      throw new ProductUnreachable(`${method} ${path}`, { cause: error });
    }
    if (status >= 500) throw new ProductUnreachable(`${method} ${path}: ${text}`);
    if (status >= 400) throw new ProductRefused(`${method} ${path}: ${status} ${text}`, status);
    return text;
  }
}
