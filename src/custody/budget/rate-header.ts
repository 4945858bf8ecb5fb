import type { IncomingHttpHeaders } from 'node:http';
import { SILENCE_MS_MAX } from './budget.ts';
import type { ServiceCount } from './request-log.ts';

/** The silence without a usable header: the shortest window of the spec. */
const SILENCE_MS_UNKNOWN = 60_000;

/** Smaller differences are the rounding of a `Date` header, not another clock. */
const SKEW_MS_TOLERATED = 2_000;

/**
 * When the next request may be sent, by the answer's headers: Unix milliseconds of our clock, or
 * undefined for now. Implements spec, "Limits": `X-RateLimit-Remaining: 0` until
 * `X-RateLimit-Reset`, and `Retry-After` on a 429 (seconds or an HTTP date).
 */
export function silentUntil(answer: {
  status: number;
  headers: IncomingHttpHeaders;
  nowMs: number;
}): number | undefined {
  const { status, headers, nowMs } = answer;
  const exhausted = text(headers, 'x-ratelimit-remaining')?.trim() === '0';
  if (status !== 429 && !exhausted) return undefined;
  const retryMs = status === 429 ? retryAfterMs(headers, nowMs) : undefined;
  // On a 429 prefer `Retry-After`: the reset may belong to another window.
  const resetMs = exhausted || retryMs === undefined ? resetInMs(headers, nowMs) : undefined;
  if (retryMs === undefined && resetMs === undefined) return nowMs + SILENCE_MS_UNKNOWN;
  return nowMs + Math.max(retryMs ?? 0, resetMs ?? 0);
}

/**
 * The service's own count in an answer (spec, "Limits"). Undefined without remaining requests or
 * reset.
 */
export function serviceCount(
  headers: IncomingHttpHeaders,
  nowMs: number,
): ServiceCount | undefined {
  const remaining = countIn(headers, 'x-ratelimit-remaining');
  const resetMs = resetInMs(headers, nowMs);
  if (remaining === null || resetMs === undefined || resetMs === 0) return undefined;
  return {
    limit: countIn(headers, 'x-ratelimit-limit'),
    remaining,
    resetAtMs: nowMs + resetMs,
  };
}

/**
 * `Retry-After` in milliseconds from now: seconds, or an HTTP date (the specification, section
 * "Limits"). Undefined when unreadable.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const value = text(headers, 'retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1000;
  const atMs = httpDateMs(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - serverAheadMs(headers, nowMs) - nowMs);
}

/**
 * `X-RateLimit-Reset` as our clock's time. It is an absolute time of the service's clock, so the
 * service's `Date` corrects it. Otherwise a clock one hour off would silence us for an hour.
 */
function resetInMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const value = text(headers, 'x-ratelimit-reset')?.trim();
  if (value === undefined || !/^[0-9]{1,12}$/.test(value)) return undefined;
  const waitMs = Number(value) * 1000 - serverAheadMs(headers, nowMs) - nowMs;
  // No window of the spec is longer; a later reset is not credible.
  if (waitMs > SILENCE_MS_MAX) return SILENCE_MS_UNKNOWN;
  return Math.max(0, waitMs);
}

/**
 * The service's clock as its `Date` header shows it: Unix milliseconds, in whole seconds. Null when
 * the header is absent or unreadable.
 */
export function serviceAtMs(headers: IncomingHttpHeaders): number | null {
  const atMs = httpDateMs(text(headers, 'date') ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

function countIn(headers: IncomingHttpHeaders, name: string): number | null {
  const value = text(headers, name)?.trim();
  return value !== undefined && /^[0-9]{1,9}$/.test(value) ? Number(value) : null;
}

function serverAheadMs(headers: IncomingHttpHeaders, nowMs: number): number {
  const aheadMs = (serviceAtMs(headers) ?? nowMs) - nowMs;
  return Math.abs(aheadMs) > SKEW_MS_TOLERATED ? aheadMs : 0;
}

/**
 * An HTTP date as Unix milliseconds; NaN when unreadable. HTTP dates are in GMT. Their oldest form
 * does not say so, and `Date.parse` would read it in the zone of this machine.
 */
function httpDateMs(value: string): number {
  return Date.parse(/GMT$/i.test(value) ? value : `${value} GMT`);
}

function text(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
