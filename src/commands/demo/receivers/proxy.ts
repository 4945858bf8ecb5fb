import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Interval between two questions whether a receiver is ready, and the wait for an answer. */
const LOOK_INTERVAL_MS = 200;
const LOOK_MS_MAX = 1_000;

/** A receiver behind the proxy. */
interface Backend {
  readonly url: string;
  isReady: boolean;
  /** Whether a question waits for its answer. */
  isAsked: boolean;
}

/** A delivery that a receiver answered. */
export interface AnsweredDelivery {
  /** When the sender began it, on the clock of `performance.now()`. */
  readonly beganAtMs: number;
  readonly status: number;
  readonly body: Buffer;
  readonly answer: Buffer;
}

/**
 * One address for several receivers, as a load balancer gives it. It spreads deliveries over the
 * receivers whose `/readyz` is 200, and repeats a delivery at the next one when a connection breaks:
 * the books recognise a repeat. Everything else goes to one receiver as long as that is ready.
 */
export class Proxy {
  readonly #backends: readonly Backend[];
  readonly #onDelivery: (delivery: AnsweredDelivery) => void;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #looking: NodeJS.Timeout[];
  #turn = 0;
  #chosen = 0;

  /** `lookMsMax`: how long a receiver may take to say that it is ready. */
  constructor(
    urls: readonly string[],
    onDelivery: (delivery: AnsweredDelivery) => void,
    lookMsMax = LOOK_MS_MAX,
  ) {
    this.#backends = urls.map((url) => ({ url, isReady: false, isAsked: false }));
    this.#onDelivery = onDelivery;
    this.#server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing));
    this.#looking = this.#backends.map((backend) =>
      setInterval(() => void look(backend, lookMsMax), LOOK_INTERVAL_MS),
    );
  }

  /** Rejects when the port is in use. */
  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  get areAllReady(): boolean {
    return this.#backends.every(({ isReady }) => isReady);
  }

  close(): void {
    for (const timer of this.#looking) clearInterval(timer);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const beganAtMs = performance.now();
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    try {
      const body = await buffer(incoming);
      const isDelivery = incoming.url?.startsWith('/hooks/') === true;
      const answer = await this.#answered({ incoming, body, isDelivery, signal: gone.signal });
      if (answer === undefined) {
        outgoing.writeHead(502).end('no receiver answers');
        return;
      }
      const status = answer.statusCode ?? 502;
      outgoing.writeHead(status, answer.headers);
      if (!isDelivery) {
        await pipeline(answer, outgoing);
        return;
      }
      const text = await buffer(answer);
      this.#onDelivery({ beganAtMs, status, body, answer: text });
      outgoing.end(text);
    } catch {
      // The sender or the receiver has gone in the middle: the sender sees a broken connection.
      outgoing.destroy();
    }
  }

  /** A receiver's answer, or undefined when none answers. */
  async #answered(asked: {
    readonly incoming: IncomingMessage;
    readonly body: Buffer;
    readonly isDelivery: boolean;
    readonly signal: AbortSignal;
  }): Promise<IncomingMessage | undefined> {
    const { incoming, body, isDelivery, signal } = asked;
    const isRepeatable = isDelivery || incoming.method === 'GET';
    for (const backend of this.#order(isDelivery)) {
      try {
        return await this.#exchange(backend, { incoming, body, signal });
      } catch (error) {
        if (signal.aborted) throw error;
        backend.isReady = false;
        // After a refused connection the receiver has seen nothing.
        const wasRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
        if (!isRepeatable && !wasRefused) return undefined;
      }
    }
    return undefined;
  }

  /** The receivers in the order in which they are tried; all of them while none is ready. */
  #order(isDelivery: boolean): readonly Backend[] {
    const ready = this.#backends.filter(({ isReady }) => isReady);
    const candidates = ready.length === 0 ? this.#backends : ready;
    if (isDelivery) {
      this.#turn += 1;
      return rotated(candidates, this.#turn % candidates.length);
    }
    const chosen = this.#backends[this.#chosen];
    const index = chosen === undefined ? -1 : candidates.indexOf(chosen);
    if (index !== -1) return rotated(candidates, index);
    const [first] = candidates;
    if (first !== undefined) this.#chosen = this.#backends.indexOf(first);
    return candidates;
  }

  #exchange(
    { url }: Backend,
    asked: {
      readonly incoming: IncomingMessage;
      readonly body: Buffer;
      readonly signal: AbortSignal;
    },
  ): Promise<IncomingMessage> {
    const { incoming, body, signal } = asked;
    const { method = 'GET', url: path = '/', headers } = incoming;
    return new Promise((resolve, reject) => {
      const options = { method, path, headers, agent: this.#agent, signal };
      const outgoing = request(url, options, resolve);
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }
}

function rotated<Item>(items: readonly Item[], first: number): readonly Item[] {
  return [...items.slice(first), ...items.slice(0, first)];
}

async function look(backend: Backend, msMax: number): Promise<void> {
  if (backend.isAsked) return;
  backend.isAsked = true;
  try {
    const signal = AbortSignal.timeout(msMax);
    const answer = await fetch(`${backend.url}/readyz`, { signal });
    await answer.body?.cancel();
    backend.isReady = answer.ok;
  } catch {
    backend.isReady = false;
  } finally {
    backend.isAsked = false;
  }
}
