/** Spans of age in which unresolved breaks are counted, the youngest first. */
export const AGE_SPANS = ['hour', 'day', 'week', 'older'] as const;
export type AgeSpan = (typeof AGE_SPANS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ages of a span in milliseconds: from the first, below the second. */
const AGES: Readonly<Record<AgeSpan, readonly [number, number]>> = {
  hour: [0, HOUR_MS],
  day: [HOUR_MS, DAY_MS],
  week: [DAY_MS, 7 * DAY_MS],
  older: [7 * DAY_MS, Number.POSITIVE_INFINITY],
};

/** When breaks of a span were opened, Unix milliseconds: later than the first, until the second. */
export interface OpenedWithin {
  /** Exclusive; absent for the oldest breaks. */
  readonly openedAfter?: number;
  /** Inclusive; absent for the youngest breaks. */
  readonly openedUntil?: number;
}

/** The moments between which breaks of a span were opened. `now`: Unix milliseconds. */
export function openedWithin(span: AgeSpan, now: number): OpenedWithin {
  const [from, below] = AGES[span];
  return {
    ...(below === Number.POSITIVE_INFINITY ? {} : { openedAfter: now - below }),
    // A clock that was set back may open a break in the future, which is young.
    ...(from === 0 ? {} : { openedUntil: now - from }),
  };
}
