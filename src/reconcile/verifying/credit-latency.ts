/** How far back the figures for people go. */
const HOUR_MS = 3_600_000;

/** Credits remembered for the figures of the last hour; beyond it the oldest are left out. */
const CREDITS_MAX = 20_000;

/** The way of one item into the feed. Unix milliseconds. */
export interface Fed {
  /** When nothing but the custody API's word was missing: depth reached, approved, released. */
  readonly sinceMs: number;
  /** The reading that showed it; null where the item needed none any more. */
  readonly asked: { readonly askedMs: number; readonly answeredMs: number } | null;
  readonly fedMs: number;
}

/** The parts of a credit's way: until asked, until answered, until committed; and the whole of it. */
export const LATENCY_PARTS = ['asked', 'answered', 'committed', 'total'] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

/** Percentiles of the credits of the last hour, in milliseconds; null where there were none. */
export interface LatencyFigures {
  readonly credits: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** How long deposits waited for their credits. */
export class CreditLatency {
  readonly #observe: (part: LatencyPart, ms: number) => void;
  #last: { readonly atMs: number; readonly ms: number }[] = [];

  constructor(options: {
    /** Told of each part of each credit's way. */
    observe: (part: LatencyPart, ms: number) => void;
  }) {
    this.#observe = options.observe;
  }

  /** An item entered the feed. */
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
