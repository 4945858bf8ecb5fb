import { settledBy, UNDER_WAY_MS_MAX, type LoggedRequest } from './request-log.ts';

/** So many requests in any span of so many milliseconds. */
export interface Window {
  readonly limit: number;
  readonly spanMs: number;
}

/**
 * Whether a request counts: while it is under way, and for a span after it settled. The service
 * counted it somewhere between the two. The span is closed at both ends: two requests exactly one
 * span apart count together, so that no rounding at the other end finds one too many.
 */
function counts(request: LoggedRequest, spanMs: number, nowMs: number): boolean {
  return settledBy(request) + spanMs >= nowMs;
}

/** Requests that count in a window now. */
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
 * The first moment when fewer than `ceiling` requests count; `nowMs` if that is now. While requests
 * under way hold the place the moment is a lower bound: ask again then.
 */
export function roomAt(
  requests: readonly LoggedRequest[],
  { spanMs, ceiling }: { readonly spanMs: number; readonly ceiling: number },
  nowMs: number,
): number {
  const endsMs: number[] = [];
  for (const request of requests) {
    if (counts(request, spanMs, nowMs)) endsMs.push(firstEnd(request, nowMs) + spanMs);
  }
  const excess = endsMs.length - ceiling + 1;
  if (excess <= 0) return nowMs;
  const end = endsMs.toSorted((left, right) => left - right)[excess - 1];
  return (end ?? nowMs + spanMs) + 1;
}

/** When a request settled; one that is under way may settle at once. */
function firstEnd(request: LoggedRequest, nowMs: number): number {
  if (request.settledAtMs !== null) return request.settledAtMs;
  return Math.min(nowMs, request.startedAtMs + UNDER_WAY_MS_MAX);
}
