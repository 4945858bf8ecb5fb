import type { LoggedRequest } from './request-log.ts';
import { countedUntil, roomAt, usedOf, type Window } from './window.ts';

/**
 * The purpose of a request, most urgent first.
 *
 * | priority | is |
 * |---|---|
 * | `verification` | a deposit is due |
 * | `first-sight` | only deposits are due that the API has never shown, and recent rounds verified none: anybody can forge these |
 * | `continuation` | later pages of a round of these two |
 * | `deposits` | a list too long for verification, while deposits wait for it |
 * | `look-up` | one deposit or withdrawal |
 */
export const PRIORITIES = [
  'verification',
  'first-sight',
  'continuation',
  'deposits',
  'look-up',
  'repair',
  'sweep',
  'inactive',
] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Most requests per minute and per hour (spec, "Limits"). */
export const REQUESTS_MAX = { minute: 100, hour: 1_000 } as const;

export const WINDOWS = {
  minute: { limit: REQUESTS_MAX.minute, spanMs: 60_000 },
  hour: { limit: REQUESTS_MAX.hour, spanMs: 3_600_000 },
} as const satisfies Record<string, Window>;

/** A lane's part of the budget. */
interface Share {
  /** A request may start while all lanes together used less than this part of each window. */
  readonly percent: number;
  /** Requests per hour that may always start: other lanes cannot use them. */
  readonly hourly: number;
}

/**
 * Verification may use everything, at its own pace. Other lanes leave it part of each window. They
 * keep a few requests per hour for when verification has used most of it.
 */
const SHARES = {
  verification: { percent: 100, hourly: 0 },
  'first-sight': { percent: 100, hourly: 0 },
  continuation: { percent: 100, hourly: 0 },
  deposits: { percent: 100, hourly: 0 },
  'look-up': { percent: 60, hourly: 14 },
  repair: { percent: 50, hourly: 14 },
  sweep: { percent: 60, hourly: 20 },
  inactive: { percent: 40, hourly: 10 },
} as const satisfies Record<Priority, Share>;

/**
 * The pace of verification: a bucket of requests that refills by one every `everyMs`. A full bucket
 * and an hour's pace leave the other lanes their hourly requests: 25 + 3,600 / 3.95 + 58 is below
 * 1,000.
 */
const PACE = { bucket: 25, everyMs: 3_950 } as const;

/**
 * Requests that a lane leaves in the bucket. A round takes its later pages at once, from a part
 * that first requests only use after a pause. Deposits never shown by the API leave more: a flood
 * of forged webhooks delays no other deposit.
 */
const LEFT = { verification: 10, 'first-sight': 15, continuation: 0 } as const;
type PacedLane = keyof typeof LEFT;

/**
 * How often rounds begin while continuations have used their part. Waiting would only lengthen the
 * list. This is slower than the pace, so the part refills.
 */
const ROUND_EVERY_MS = 4_000;

/** Requests left of the hour below which rounds are spread evenly. */
const SCARCE = 300;

/**
 * The part of a limit that a lane may use while others need the rest. In requests, rounded down.
 */
export function shareOf(limit: number, lane: Priority): number {
  return Math.floor((limit * SHARES[lane].percent) / 100);
}

/**
 * The earliest time for a request of this lane; `nowMs` when it may start now. `count`: requests
 * that a round must find in its bucket. Times are Unix milliseconds.
 */
export function laneRoomAt(
  requests: readonly LoggedRequest[],
  lane: Priority,
  nowMs: number,
  count = 1,
): number {
  const windows = Object.values(WINDOWS);
  const below = (ceilingOf: (window: Window) => number): number =>
    Math.max(
      ...windows.map((window) =>
        roomAt(requests, { spanMs: window.spanMs, ceiling: ceilingOf(window) }, nowMs),
      ),
    );
  if (isPaced(lane)) {
    return Math.max(
      below(({ limit }) => limit),
      pacedAt(requests, lane),
      spreadAt(requests, lane, nowMs),
      bucketHoldsAt(requests, Math.min(count, PACE.bucket)),
    );
  }
  const own = requests.filter((request) => request.lane === lane);
  const { spanMs } = WINDOWS.hour;
  const granted = Math.max(
    below(({ limit }) => limit),
    roomAt(own, { spanMs, ceiling: SHARES[lane].hourly }, nowMs),
  );
  return Math.min(
    below(({ limit }) => shareOf(limit, lane)),
    granted,
  );
}

/**
 * How many requests of a lane may start now, in a row. Never negative. `nowMs`: Unix milliseconds.
 */
export function laneRoom(
  requests: readonly LoggedRequest[],
  lane: Priority,
  nowMs: number,
): number {
  const windows = Object.values(WINDOWS);
  const left = (ceilingOf: (window: Window) => number): number =>
    Math.min(...windows.map((window) => ceilingOf(window) - usedOf(requests, window, nowMs)));
  const own = requests.filter((request) => request.lane === lane);
  const granted = Math.min(
    left(({ limit }) => limit),
    SHARES[lane].hourly - usedOf(own, WINDOWS.hour, nowMs),
  );
  return Math.max(
    0,
    left(({ limit }) => shareOf(limit, lane)),
    granted,
  );
}

/** When the pace allows this lane's next request. */
function pacedAt(requests: readonly LoggedRequest[], lane: PacedLane): number {
  const atMs = bucketHoldsAt(requests, LEFT[lane] + 1);
  if (lane !== 'verification') return atMs;
  const last = requests.findLast((request) => request.lane === lane);
  const roundAtMs = (last?.startedAtMs ?? Number.NEGATIVE_INFINITY) + ROUND_EVERY_MS;
  return Math.min(atMs, Math.max(bucketHoldsAt(requests, 1), roundAtMs));
}

/**
 * When the rest of the hour allows the next round. Other lanes may have used half of the hour within
 * minutes. The pace would then use up the rest too early, and verification would stop. So once less
 * than `SCARCE` requests are left, rounds are spread evenly over the time until the others expire.
 */
function spreadAt(requests: readonly LoggedRequest[], lane: PacedLane, nowMs: number): number {
  const last = requests.findLast((request) => isPaced(request.lane));
  if (lane === 'continuation' || last === undefined) return nowMs;
  const { limit } = WINDOWS.hour;
  const endsMs = countedUntil(requests, WINDOWS.hour, nowMs);
  const left = limit - endsMs.length;
  if (left >= SCARCE) return nowMs;
  let everyMs = 0;
  for (const [index, endMs] of endsMs.entries()) {
    const allowed = left + index + 1;
    if (allowed > 0) everyMs = Math.max(everyMs, (endMs - nowMs) / allowed);
  }
  return everyMs > PACE.everyMs ? Math.ceil(last.startedAtMs + everyMs) : nowMs;
}

/**
 * When the bucket holds this many requests (the generic cell rate algorithm over the log). The log
 * holds an hour, so what a burst took is back after an hour, also under sustained load.
 */
function bucketHoldsAt(requests: readonly LoggedRequest[], count: number): number {
  let usedUntilMs = Number.NEGATIVE_INFINITY;
  for (const { lane, startedAtMs } of requests) {
    if (!isPaced(lane)) continue;
    usedUntilMs = Math.max(usedUntilMs, startedAtMs) + PACE.everyMs;
  }
  return usedUntilMs - (PACE.bucket - count) * PACE.everyMs;
}

function isPaced(lane: string): lane is PacedLane {
  return Object.hasOwn(LEFT, lane);
}
