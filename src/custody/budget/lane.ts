import type { LoggedRequest } from './request-log.ts';
import { roomAt, usedOf, type Window } from './window.ts';

/**
 * What a request is for, the most urgent first. `verification`: a deposit is due. `first-sight`: only
 * deposits are due that the custody API has never shown, and the last rounds verified none of them;
 * anybody can make such deposits up. `deposits`: a list too long for verification, while deposits
 * wait for it. `look-up`: one deposit or withdrawal.
 */
export const PRIORITIES = [
  'verification',
  'first-sight',
  'deposits',
  'look-up',
  'repair',
  'sweep',
  'inactive',
] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Requests per window (spec, "Limits"): so many in any minute, and in any hour. */
export const REQUESTS_MAX = { minute: 100, hour: 1_000 } as const;

export const WINDOWS = {
  minute: { limit: REQUESTS_MAX.minute, spanMs: 60_000 },
  hour: { limit: REQUESTS_MAX.hour, spanMs: 3_600_000 },
} as const satisfies Record<string, Window>;

/** What a lane may use of the budget. */
interface Share {
  /** A request may start while all lanes together have used less than this part of each window. */
  readonly percent: number;
  /** So many requests an hour may start whatever the others have used. */
  readonly hourly: number;
}

/**
 * Verification may use everything, at its own pace. The other lanes stop where it still has a good
 * part of each window, and keep a few requests an hour for the times when it has used most of it.
 */
const SHARES = {
  verification: { percent: 100, hourly: 0 },
  'first-sight': { percent: 100, hourly: 0 },
  deposits: { percent: 100, hourly: 0 },
  'look-up': { percent: 60, hourly: 20 },
  repair: { percent: 50, hourly: 20 },
  sweep: { percent: 60, hourly: 70 },
  inactive: { percent: 40, hourly: 15 },
} as const satisfies Record<Priority, Share>;

/**
 * The pace of verification: at once while the burst lasts, and then one request every so often. Both
 * together stay below the minute, and leave the other lanes their requests of the hour:
 * 80 + 3,600 / 4.6 + 125 is below 1,000. Deposits that the API has never shown leave the last 20 of
 * the burst to the others: a flood of forged webhooks delays no deposit that the API has shown.
 */
const BURST = { verification: 80, 'first-sight': 60 } as const;
const EVERY_MS = 4_600;

/** How much of a limit a lane may use while others want the rest. */
export function shareOf(limit: number, lane: Priority): number {
  return Math.floor((limit * SHARES[lane].percent) / 100);
}

/** The first moment when a request of this lane may start; `nowMs` if that is now. */
export function laneRoomAt(
  requests: readonly LoggedRequest[],
  lane: Priority,
  nowMs: number,
): number {
  const windows = Object.values(WINDOWS);
  const below = (ceilingOf: (window: Window) => number): number =>
    Math.max(
      ...windows.map((window) =>
        roomAt(requests, { spanMs: window.spanMs, ceiling: ceilingOf(window) }, nowMs),
      ),
    );
  if (lane === 'verification' || lane === 'first-sight') {
    return Math.max(
      below(({ limit }) => limit),
      pacedAt(requests, BURST[lane]),
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

/** Requests of a lane that may start now, one after the other. */
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

/**
 * When the pace allows the next request after these. Each request uses up one of the burst, and one
 * comes back every `EVERY_MS` (the generic cell rate algorithm over the log). The log holds an hour, so
 * the burst is whole again after an hour at the latest.
 */
function pacedAt(requests: readonly LoggedRequest[], burst: number): number {
  let usedUntilMs = Number.NEGATIVE_INFINITY;
  for (const { lane, startedAtMs } of requests) {
    if (!Object.hasOwn(BURST, lane)) continue;
    usedUntilMs = Math.max(usedUntilMs, startedAtMs) + EVERY_MS;
  }
  return usedUntilMs - (burst - 1) * EVERY_MS;
}
