import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import type { Clock } from '../clock.ts';
import type { UnavailableCause } from './outcome.ts';

/** Connections: enough for one list and one look-up at a time; the rate limit is the real bound. */
const CONNECTIONS_MAX = 4;

/** A page of 1,000 transactions with a dozen balance changes each is about half of this. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

export interface HttpRequest {
  readonly method: Method;
  /** Path with its query, from the root of the origin. */
  readonly path: string;
  readonly bearer: string;
  /** A JSON text. */
  readonly body?: string;
  /** Time for the whole exchange: connecting, headers and body. */
  readonly timeoutMs: number;
  /** Aborts the exchange, which then ends as `deadline`. */
  readonly signal: AbortSignal;
}

export type HttpResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Undefined when the body exceeds the bound: the rest was not read. */
      readonly body: Uint8Array | undefined;
    }
  | { readonly kind: 'failed'; readonly cause: UnavailableCause };

/**
 * HTTP exchanges over kept-alive connections to one origin. It does not retry and does not
 * interpret.
 */
export class Transport {
  readonly #pool: Pool;
  readonly #clock: Clock;

  constructor(options: { origin: string; clock: Clock }) {
    this.#clock = options.clock;
    // The exchange is timed as a whole below. undici's own timers only see gaps, so a trickling
    // body would never end.
    this.#pool = new Pool(options.origin, {
      connections: CONNECTIONS_MAX,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Sends one request and reads at most `BODY_BYTES_MAX` bytes of the answer. Never rejects: a
   * failure or a timeout is `failed`, with its cause.
   */
  async send(request: HttpRequest): Promise<HttpResult> {
    const exchange = new AbortController();
    const ended = new AbortController();
    let abortedBy: UnavailableCause | undefined;
    const abort = (cause: UnavailableCause): void => {
      abortedBy ??= cause;
      exchange.abort();
    };
    const onSignal = (): void => abort({ kind: 'deadline' });
    request.signal.addEventListener('abort', onSignal);
    if (request.signal.aborted) onSignal();
    const timer = this.#clock.sleep(request.timeoutMs, ended.signal).then(() => {
      if (!ended.signal.aborted) abort({ kind: 'timeout', timeoutMs: request.timeoutMs });
    });
    try {
      return await this.#exchange(request, exchange.signal);
    } catch (error) {
      const cause = abortedBy ?? { kind: 'connection', detail: connectionDetail(error) };
      return { kind: 'failed', cause };
    } finally {
      request.signal.removeEventListener('abort', onSignal);
      ended.abort();
      await timer;
    }
  }

  /** Closes idle connections and aborts exchanges under way. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpResult> {
    const answer = await this.#pool.request({
      method: request.method,
      path: request.path,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${request.bearer}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: request.body ?? null,
      signal,
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let whole = true;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      // Leaving the loop destroys the body and its connection.
      if (bytes > BODY_BYTES_MAX) {
        whole = false;
        break;
      }
      chunks.push(chunk);
    }
    const body = whole ? Buffer.concat(chunks) : undefined;
    return { kind: 'answer', status: answer.statusCode, headers: answer.headers, body };
  }
}

/** Only the code: the message may hold an address with credentials. */
function connectionDetail(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.cause === undefined ? code : `${code} (${connectionDetail(error.cause)})`;
}
