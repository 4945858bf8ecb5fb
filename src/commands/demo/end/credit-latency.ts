import type { ProductApi } from '../product-api.ts';

/** The daemon's metric: time from the reached depth until the item is in the feed. */
const METRIC = 'counterfoil_credit_latency_seconds';

/** Latency of feed items. Quantiles are estimates within a bucket, as in Prometheus. */
export interface LatencyFigures {
  /** Credits and reversals. */
  readonly items: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
}

/**
 * The credit latency over all runs of the daemon. Its counters restart with each start, so they are
 * read before each kill and at the end.
 */
export class CreditLatency {
  /** Cumulative number of items by the upper bound of a bucket, in seconds. */
  readonly #within = new Map<number, number>();

  /** Adds what the daemon has counted since its start. Throws `ProductUnreachable`. */
  async take(api: ProductApi): Promise<void> {
    for (const [bound, items] of bucketsIn(await api.text('/metrics'))) {
      this.#within.set(bound, (this.#within.get(bound) ?? 0) + items);
    }
  }

  /** Null when nothing entered the feed. */
  figures(): LatencyFigures | null {
    const buckets = [...this.#within].sort(([left], [right]) => left - right);
    const items = buckets.at(-1)?.[1] ?? 0;
    if (items === 0) return null;
    const p50Seconds = quantile(buckets, 0.5 * items);
    const p99Seconds = quantile(buckets, 0.99 * items);
    return { items, p50Seconds, p99Seconds };
  }
}

function bucketsIn(page: string): [bound: number, items: number][] {
  const lines = page.matchAll(new RegExp(`^${METRIC}_bucket\\{le="([^"]+)"\\} (\\S+)$`, 'gm'));
  return [...lines].map(([, bound, items]) => [
    bound === '+Inf' ? Infinity : Number(bound),
    Number(items),
  ]);
}

/** The latency at a rank, interpolated within its bucket; in the last bucket its lower bound. */
function quantile(buckets: readonly (readonly [number, number])[], rank: number): number {
  let [lower, before] = [0, 0];
  for (const [bound, items] of buckets) {
    if (items >= rank) {
      const share = (rank - before) / (items - before);
      const seconds = bound === Infinity ? lower : lower + (bound - lower) * share;
      return Math.round(seconds * 100) / 100;
    }
    [lower, before] = [bound, items];
  }
  return lower;
}
