import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Headers that belong to one connection, or to a body that `fetch` has already unpacked. */
const OF_THE_CONNECTION = new Set(['connection', 'content-encoding', 'content-length', 'host']);

const ONE_TRANSACTION = /\/transactions\/[^/]+$/;

/**
 * Lists whose rows name a vault. The notifications of a transaction include those of every vault
 * that its hash touches, and a receiver asks for a replay of each one that it lacks.
 */
const LIST_OF_VAULTS = /\/(vaults|subscriptions\/notifications)$/;

/**
 * A custody core as one API client sees it. It may see one vault and its transactions alone, as at a
 * service that limits an API client to some vaults.
 */
export class CustodyView {
  /** The status of every answer, in order. */
  readonly statuses: number[] = [];
  readonly #coreUrl: string;
  readonly #vaultId: string | null;
  readonly #server: Server;

  private constructor(coreUrl: string, vaultId: string | null) {
    this.#coreUrl = coreUrl;
    this.#vaultId = vaultId;
    this.#server = createServer((incoming, outgoing) => {
      this.#carry(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  /** `vaultId`: the only vault that the client sees; null: it sees every vault. */
  static async of(coreUrl: string, vaultId: string | null): Promise<CustodyView> {
    const view = new CustodyView(coreUrl, vaultId);
    view.#server.listen(0, '127.0.0.1');
    await once(view.#server, 'listening');
    onTestFinished(() => {
      view.#server.close();
      view.#server.closeAllConnections();
    });
    return view;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #carry(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = incoming;
    const target = new URL(path, this.#coreUrl);
    if (this.#vaultId !== null && method === 'GET' && target.pathname.endsWith('/transactions')) {
      target.searchParams.set('filter[vaultId]', this.#vaultId);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) {
      if (!OF_THE_CONNECTION.has(name)) headers.set(name, String(value));
    }
    const body = await buffer(incoming);
    const payload = body.length === 0 ? {} : { body: new Uint8Array(body) };
    let answer = await fetch(target, { method, headers, ...payload });
    if (answer.ok && ONE_TRANSACTION.test(target.pathname) && (await this.#hides(answer))) {
      answer = await fetch(new URL('unknown', target), { headers });
    }
    this.statuses.push(answer.status);
    outgoing.statusCode = answer.status;
    for (const [name, value] of answer.headers) {
      if (!OF_THE_CONNECTION.has(name)) outgoing.setHeader(name, value);
    }
    outgoing.end(await this.#shown(target, answer));
  }

  /** The body of an answer; a list without the rows of vaults that the client does not see. */
  async #shown({ pathname }: URL, answer: Response): Promise<Buffer> {
    const body = Buffer.from(await answer.arrayBuffer());
    if (this.#vaultId === null || !answer.ok || !LIST_OF_VAULTS.test(pathname)) return body;
    const list = JSON.parse(body.toString()) as { data: readonly { vaultId: string }[] };
    const data = list.data.filter(({ vaultId }) => vaultId === this.#vaultId);
    return Buffer.from(JSON.stringify({ ...list, data, total: data.length }));
  }

  async #hides(answer: Response): Promise<boolean> {
    if (this.#vaultId === null) return false;
    const { vaultId } = (await answer.clone().json()) as { vaultId: string };
    return vaultId !== this.#vaultId;
  }
}
