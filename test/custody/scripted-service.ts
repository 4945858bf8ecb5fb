import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
    }
  /** Answers never, or after some bytes never more, or breaks the connection off. */
  | { readonly fault: 'hang' | 'reset' | 'cut' };

/** A custody service on loopback that gives the answers of the test. */
export class ScriptedService {
  readonly asked: Asked[] = [];
  readonly #server = createServer({ keepAliveTimeout: 1_000 });
  #script: (asked: Asked) => Reply = () => ({ status: 500 });
  #heard: () => void = () => undefined;

  private constructor() {
    this.#server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://service');
        const asked = {
          method: request.method ?? '',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        };
        this.asked.push(asked);
        send(response, this.#script(asked));
        this.#heard();
      });
    });
  }

  static async start(): Promise<ScriptedService> {
    const service = new ScriptedService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Every request from now on is answered by `script`. */
  answer(script: (asked: Asked) => Reply): void {
    this.#script = script;
  }

  /** One reply after the other; the last one is repeated. */
  answerInTurn(...replies: readonly [Reply, ...Reply[]]): void {
    let next = 0;
    this.#script = () => {
      const reply = replies[Math.min(next, replies.length - 1)] ?? replies[0];
      next += 1;
      return reply;
    };
  }

  /** Resolves once the next request was heard, whatever it is answered. */
  heard(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve;
    });
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

function send(response: ServerResponse, reply: Reply): void {
  // The virtual clock of a test and the real one of this server must not be compared.
  response.sendDate = false;
  if (!('fault' in reply)) {
    response.writeHead(reply.status ?? 200, {
      'content-type': 'application/json',
      ...reply.headers,
    });
    response.end(reply.text ?? JSON.stringify(reply.json ?? {}));
  } else if (reply.fault === 'reset') {
    response.destroy();
  } else if (reply.fault === 'cut') {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"data":[', () => response.destroy());
  }
}

export function errorReply(
  status: number,
  errorCode: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers,
    json: {
      statusCode: status,
      errorCode,
      errorMessage: 'as scripted',
      timestamp: '2026-01-01T00:00:00.000Z',
      endpoint: 'GET /api/v1/x',
    },
  };
}
