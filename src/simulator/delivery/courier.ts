import { Agent } from 'undici';
import type { Clock } from '../clock.ts';
import { Exchange } from './exchange.ts';
import { destinationRefusal, guardedLookup } from './webhook-url.ts';
import type { DestinationPolicy } from './webhook-url.ts';

/** Timeout of one delivery attempt (section "Limits"), by the core's clock. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Destinations kept parsed; every vault has one of its own. */
const DESTINATIONS_KEPT_MAX = 10_000;
const USER_AGENT = 'custody-core-webhooks/1';

export interface PostResult {
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Ended by the attempt timeout. */
  readonly timedOut: boolean;
}

/** A webhook URL, judged and taken apart. */
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

/** Carries one body to one URL. Never follows a redirect: it is not a 2xx, so it is a failure. */
export class Courier {
  readonly #clock: Clock;
  readonly #policy: DestinationPolicy;
  readonly #agent: Agent;
  readonly #underWay = new Set<Exchange>();
  readonly #destinations = new Map<string, Destination>();

  constructor(clock: Clock, policy: DestinationPolicy) {
    this.#clock = clock;
    this.#policy = policy;
    this.#agent = new Agent({
      connect: { lookup: guardedLookup(policy), timeout: ATTEMPT_TIMEOUT_MS },
      // The core's clock ends an attempt, which may be a virtual one; real timers must not.
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
    const exchange = new Exchange();
    this.#underWay.add(exchange);
    let timedOut = false;
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const timeout = this.#clock.at(this.#clock.now() + ATTEMPT_TIMEOUT_MS, async () => {
      timedOut = true;
      exchange.abort(new Error('no answer within 10 seconds'));
      // Virtual time waits here until the failure is on record, lest its backoff start too late.
      await settled;
      await new Promise((resolve) => setImmediate(resolve));
    });
    const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT };
    this.#agent.dispatch({ ...destination, method: 'POST', headers, body }, exchange);
    const end = await exchange.ended;
    this.#clock.cancel(timeout);
    this.#underWay.delete(exchange);
    settle();
    return 'statusCode' in end
      ? { statusCode: end.statusCode, error: null, timedOut: false }
      : { statusCode: null, error: describe(end.error), timedOut };
  }

  /** Ends every attempt under way as a failure. */
  abortAll(): void {
    for (const exchange of this.#underWay) {
      exchange.abort(new Error('the core gave the attempt up'));
    }
  }

  /**
   * Judged at the time of use, not only when it was subscribed: the row may stem from a state made
   * under a laxer setting.
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
