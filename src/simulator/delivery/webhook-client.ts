import { Agent } from 'undici';
import type { Clock } from '../clock.ts';
import { HttpExchange } from './http-exchange.ts';
import { destinationRefusal, guardedLookup } from './webhook-url.ts';
import type { DestinationPolicy } from './webhook-url.ts';

/**
 * Timeout of one delivery attempt in milliseconds, measured on the core's clock (the specification,
 * section "Limits").
 */
const ATTEMPT_TIMEOUT_MS = 10_000;
/** Parsed destinations kept in memory. Every vault has its own destination. */
const DESTINATIONS_KEPT_MAX = 10_000;
const USER_AGENT = 'custody-core-webhooks/1';

export interface PostResult {
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Whether the attempt timeout ended the attempt. */
  readonly timedOut: boolean;
}

/** A webhook URL after the check: refused, or split into the parts that a request needs. */
type Destination =
  { readonly refusal: string } | { readonly origin: string; readonly path: string };

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

function partsOf({ origin, pathname, search }: URL): Destination {
  return { origin, path: `${pathname}${search}` };
}

/**
 * Posts one body to one URL. Does not follow redirects: only a 2xx is a success (the specification,
 * section "Delivery rules", 3).
 */
export class WebhookClient {
  readonly #clock: Clock;
  readonly #policy: DestinationPolicy;
  readonly #agent: Agent;
  readonly #underWay = new Set<HttpExchange>();
  readonly #destinations = new Map<string, Destination>();

  constructor(clock: Clock, policy: DestinationPolicy) {
    this.#clock = clock;
    this.#policy = policy;
    this.#agent = new Agent({
      connect: { lookup: guardedLookup(policy), timeout: ATTEMPT_TIMEOUT_MS },
      // The core's clock ends an attempt, and that clock may be virtual. A real timer would end
      // attempts too early.
      headersTimeout: 0,
      bodyTimeout: ATTEMPT_TIMEOUT_MS,
      pipelining: 1,
    });
  }

  get policy(): DestinationPolicy {
    return this.#policy;
  }

  async post(url: string, body: string): Promise<PostResult> {
    const destination = this.#destination(url);
    if ('refusal' in destination) {
      return { statusCode: null, error: `URL ${destination.refusal}`, timedOut: false };
    }
    const exchange = new HttpExchange();
    this.#underWay.add(exchange);
    let timedOut = false;
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const timeout = this.#clock.at(this.#clock.now() + ATTEMPT_TIMEOUT_MS, async () => {
      timedOut = true;
      exchange.abort(new Error('no answer within 10 seconds'));
      // Virtual time stops until the failure is recorded. Otherwise the backoff would begin
      // too late.
      await finished;
      await new Promise((resolve) => setImmediate(resolve));
    });
    const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT };
    this.#agent.dispatch({ ...destination, method: 'POST', headers, body }, exchange);
    const end = await exchange.ended;
    this.#clock.cancel(timeout);
    this.#underWay.delete(exchange);
    finish();
    return 'statusCode' in end
      ? { statusCode: end.statusCode, error: null, timedOut: false }
      : { statusCode: null, error: describe(end.error), timedOut };
  }

  /** Ends every running attempt as a failure. */
  abortAll(): void {
    for (const exchange of this.#underWay) {
      exchange.abort(new Error('the core gave the attempt up'));
    }
  }

  /**
   * Checks the URL at every use, not only at the subscription. The row can come from a state file
   * that was written when the core allowed more destinations.
   */
  #destination(url: string): Destination {
    const known = this.#destinations.get(url);
    if (known !== undefined) return known;
    if (this.#destinations.size >= DESTINATIONS_KEPT_MAX) this.#destinations.clear();
    const refusal = destinationRefusal(url, this.#policy);
    const destination = refusal === undefined ? partsOf(new URL(url)) : { refusal };
    this.#destinations.set(url, destination);
    return destination;
  }

  async close(): Promise<void> {
    this.abortAll();
    await this.#agent.destroy();
  }
}
