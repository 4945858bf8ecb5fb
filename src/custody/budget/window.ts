import { finishedBy, UNDER_WAY_MS_MAX, type LoggedRequest } from './request-log.ts';

/** A limit of requests within any span of milliseconds. */
export interface Window {
  readonly limit: number;
  readonly spanMs: number;
}

/**
 * Whether a request counts: while under way, and for a span after it finished. The service counted
 * it somewhere in between. The span includes both ends, so that the service's rounding never finds
 * one request too many.
 */
function counts(request: LoggedRequest, spanMs: number, nowMs: number): boolean {
  return finishedBy(request) + spanMs >= nowMs;
}

/** Requests that count in a window now. `nowMs`: Unix milliseconds. */
export function usedOf(
  requests: readonly LoggedRequest[],
  { spanMs }: Window,
  nowMs: number,
): number {
  let used = 0;
  for (const request of requests) if (counts(request, spanMs, nowMs)) used += 1;
  return used;
}

/**
 * The earliest time when fewer than `ceiling` requests count; `nowMs` when that is now. While
 * requests are under way the time is a lower bound: ask again then. Times are Unix milliseconds.
 */
export function roomAt(
  requests: readonly LoggedRequest[],
  { spanMs, ceiling }: { readonly spanMs: number; readonly ceiling: number },
  nowMs: number,
): number {
  const endsMs = countedUntil(requests, { spanMs }, nowMs);
  const excess = endsMs.length - ceiling + 1;
  if (excess <= 0) return nowMs;
  return (endsMs[excess - 1] ?? nowMs + spanMs) + 1;
}

/**
 * When each request that counts now ceases to count, in ascending order. Times are Unix
 * milliseconds.
 */
export function countedUntil(
  requests: readonly LoggedRequest[],
  { spanMs }: Pick<Window, 'spanMs'>,
  nowMs: number,
): number[] {
  const endsMs: number[] = [];
  for (const request of requests) {
    if (counts(request, spanMs, nowMs)) endsMs.push(firstEnd(request, nowMs) + spanMs);
  }
  return endsMs.sort((left, right) => left - right);
}

/** When a request finished; a request under way may finish now. */
function firstEnd(request: LoggedRequest, nowMs: number): number {
  if (request.finishedAtMs !== null) return request.finishedAtMs;
  return Math.min(nowMs, request.startedAtMs + UNDER_WAY_MS_MAX);
}
