/** Requests per window, counted per client (the specification, section "Limits"). */
const RATE_WINDOWS = [
  { name: 'minute', lengthMs: 60_000, limit: 100 },
  { name: 'hour', lengthMs: 3_600_000, limit: 1000 },
] as const;

/** Start and count of a client's fixed windows, in the order of `RATE_WINDOWS`. */
export interface RateRecord {
  readonly clientId: string;
  readonly windows: readonly { readonly openedAt: number; readonly count: number }[];
}

export interface RateDecision {
  readonly record: RateRecord;
  readonly allowed: boolean;
  /** `X-RateLimit-*` of the window with fewer requests left, and `Retry-After` on a refusal. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Counts one request (the specification, section "Limits"). A fixed window starts with the client's
 * first request. A refused request is not counted, so it does not lengthen the wait.
 */
export function countRequest(
  clientId: string,
  previous: RateRecord | undefined,
  nowMs: number,
): RateDecision {
  const current = RATE_WINDOWS.map((window, index) => {
    const known = previous?.windows[index];
    const open = known !== undefined && nowMs < known.openedAt + window.lengthMs;
    return { ...window, openedAt: open ? known.openedAt : nowMs, count: open ? known.count : 0 };
  });
  const allowed = current.every((window) => window.count < window.limit);
  const counted = current.map((window) => ({
    ...window,
    count: window.count + (allowed ? 1 : 0),
    resetAt: window.openedAt + window.lengthMs,
  }));
  // The window with the fewest requests left comes first. Of two equal ones, the one that resets
  // later.
  const tighter = counted.toSorted(
    (left, right) =>
      left.limit - left.count - (right.limit - right.count) || right.resetAt - left.resetAt,
  )[0];
  if (tighter === undefined) throw new Error('no rate windows are defined');
  const headers: Record<string, string> = {
    'X-RateLimit-Limit': String(tighter.limit),
    'X-RateLimit-Remaining': String(tighter.limit - tighter.count),
    'X-RateLimit-Reset': String(Math.ceil(tighter.resetAt / 1000)),
  };
  if (!allowed) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil((tighter.resetAt - nowMs) / 1000)));
  }
  const windows = counted.map(({ openedAt, count }) => ({ openedAt, count }));
  return { record: { clientId, windows }, allowed, headers };
}
