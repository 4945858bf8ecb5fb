import { Agent, request } from 'undici';
import type { Clock } from '../clock.ts';
import { destinationRefusal, guardedLookup } from './webhook-url.ts';
import type { DestinationPolicy } from './webhook-url.ts';

/** Timeout of one delivery attempt (section "Limits"), by the core's clock. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Answers carry nothing that the core reads; a longer one costs the connection. */
const ANSWER_BYTES_MAX = 64 * 1024;
const USER_AGENT = 'custody-core-webhooks/1';

export interface PostResult {
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Ended by the attempt timeout. */
  readonly timedOut: boolean;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

/** Carries one body to one URL. Never follows a redirect: it is not a 2xx, so it is a failure. */
export class Courier {
  readonly #clock: Clock;
  readonly #policy: DestinationPolicy;
  readonly #agent: Agent;
  readonly #aborts = new Set<AbortController>();

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
    // Again at the time of use: the row may stem from a state restored under a laxer setting.
    const refusal = destinationRefusal(url, this.#policy);
    if (refusal !== undefined) {
      return { statusCode: null, error: `URL ${refusal}`, timedOut: false };
    }
    const abort = new AbortController();
    this.#aborts.add(abort);
    let timedOut = false;
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const timeout = this.#clock.at(this.#clock.now() + ATTEMPT_TIMEOUT_MS, async () => {
      timedOut = true;
      abort.abort(new Error('no answer within 10 seconds'));
      // Virtual time waits here until the failure is on record, lest its backoff start too late.
      await settled;
      await new Promise((resolve) => setImmediate(resolve));
    });
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT },
        body,
        signal: abort.signal,
      });
      // Drained for the connection's sake; the status alone decides (section "Delivery rules").
      answer.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => undefined);
      return { statusCode: answer.statusCode, error: null, timedOut: false };
    } catch (error) {
      return { statusCode: null, error: describe(error), timedOut };
    } finally {
      this.#clock.cancel(timeout);
      this.#aborts.delete(abort);
      settle();
    }
  }

  /** Ends every attempt under way as a failure. */
  abortAll(): void {
    for (const abort of this.#aborts) abort.abort(new Error('the core gave the attempt up'));
  }

  async close(): Promise<void> {
    this.abortAll();
    await this.#agent.destroy();
  }
}
