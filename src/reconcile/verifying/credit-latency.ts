/** Period of the figures. */
const HOUR_MS = 3_600_000;

/** Most credits remembered for the figures; the oldest are evicted. */
const CREDITS_MAX = 20_000;

/** Times of one feed item, Unix milliseconds. */
export interface Fed {
  /** When only the custody API's confirmation was missing: depth reached, approved or released. */
  readonly sinceMs: number;
  /** The reading that confirmed the deposit; null when the item needed none. */
  readonly asked: { readonly askedMs: number; readonly answeredMs: number } | null;
  readonly fedMs: number;
}

/** Phases of a credit: until the request, until the answer, until the commit; and their total. */
export const LATENCY_PARTS = ['asked', 'answered', 'committed', 'total'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/** Percentiles of the last hour's credits, in milliseconds; null without credits. */
export interface LatencyFigures {
  readonly credits: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** Measures how long deposits waited for their credits. */
export class CreditLatency {
  readonly #observe: (part: LatencyPart, ms: number) => void;
  #last: { readonly atMs: number; readonly ms: number }[] = [];

  constructor(options: {
    /** Called for each phase of each credit. */
    observe: (part: LatencyPart, ms: number) => void;
  }) {
    this.#observe = options.observe;
  }

  /** Records an item that entered the feed. */
  fed({ sinceMs, asked, fedMs }: Fed): void {
    const ms = Math.max(0, fedMs - sinceMs);
    this.#observe('total', ms);
    this.#last.push({ atMs: fedMs, ms });
    if (this.#last.length > 2 * CREDITS_MAX) this.#last = this.#last.slice(-CREDITS_MAX);
    if (asked === null) return;
    this.#observe('asked', Math.max(0, asked.askedMs - sinceMs));
    this.#observe('answered', Math.max(0, asked.answeredMs - asked.askedMs));
    this.#observe('committed', Math.max(0, fedMs - asked.answeredMs));
  }

  /** The last hour's figures. */
  figures(nowMs: number): LatencyFigures {
    const times = this.#last
      .slice(-CREDITS_MAX)
      .filter(({ atMs }) => nowMs - atMs < HOUR_MS)
      .map(({ ms }) => ms)
      .sort((left, right) => left - right);
    const at = (part: number): number | null =>
      times[Math.max(0, Math.ceil(times.length * part) - 1)] ?? null;
    return { credits: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }
}
