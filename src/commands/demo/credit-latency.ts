import type { ProductApi } from './product-api.ts';

/** From the depth reached until the credit is in the feed, as the daemon counts it. */
const METRIC = 'counterfoil_credit_latency_seconds';

/** How many credits took how long; quantiles are estimates within a bucket, as Prometheus makes them. */
export interface LatencyFigures {
  readonly credits: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
}

/**
 * The credit latency over all lives of the daemon: its counts begin anew with each start, so they
 * are taken before it is killed, and at the end.
 */
export class CreditLatency {
  /** Credits that took no longer, by the upper bound of a bucket in seconds. */
  readonly #within = new Map<number, number>();

  /** Adds what the daemon has counted since its start. Throws `ProductUnreachable`. */
  async take(api: ProductApi): Promise<void> {
    for (const [bound, credits] of bucketsIn(await api.text('/metrics'))) {
      this.#within.set(bound, (this.#within.get(bound) ?? 0) + credits);
    }
  }

  /** Null when nothing was credited. */
  figures(): LatencyFigures | null {
    const buckets = [...this.#within].sort(([left], [right]) => left - right);
    const credits = buckets.at(-1)?.[1] ?? 0;
    if (credits === 0) return null;
    const p50Seconds = quantile(buckets, 0.5 * credits);
    const p99Seconds = quantile(buckets, 0.99 * credits);
    return { credits, p50Seconds, p99Seconds };
  }
}

function bucketsIn(page: string): [bound: number, credits: number][] {
  const lines = page.matchAll(new RegExp(`^${METRIC}_bucket\\{le="([^"]+)"\\} (\\S+)$`, 'gm'));
  return [...lines].map(([, bound, credits]) => [
    bound === '+Inf' ? Infinity : Number(bound),
    Number(credits),
  ]);
}

/** Where the credit of this rank lies, spread evenly over its bucket; of the last its lower bound. */
function quantile(buckets: readonly (readonly [number, number])[], rank: number): number {
  let [lower, before] = [0, 0];
  for (const [bound, credits] of buckets) {
    if (credits >= rank) {
      const share = (rank - before) / (credits - before);
      const seconds = bound === Infinity ? lower : lower + (bound - lower) * share;
      return Math.round(seconds * 100) / 100;
    }
    [lower, before] = [bound, credits];
  }
  return lower;
}
