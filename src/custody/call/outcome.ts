import type { ErrorRecord } from '../../wire/error.ts';

/** Why the service was not asked, or did not answer completely. */
export type UnavailableCause =
  /** The circuit is open: nothing was sent. */
  | { readonly kind: 'circuit-open'; readonly retryAtMs: number }
  /** No complete answer within one attempt, 10 s. */
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** Refused, reset, cut, name not found, TLS. */
  | { readonly kind: 'connection'; readonly detail: string }
  /** HTTP 5xx; `error` when the body is the service's own (spec, "Errors"). */
  | { readonly kind: 'server-error'; readonly status: number; readonly error?: ErrorRecord }
  /** The request could not be recorded, so nothing was sent: it might exceed the limits. */
  | { readonly kind: 'unrecorded'; readonly detail: string }
  /** The caller's deadline or the end of the client came first. */
  | { readonly kind: 'deadline' };

/** A call without a value. No failure says anything about the service's records. */
export type Failure =
  | { readonly kind: 'unavailable'; readonly cause: UnavailableCause }
  /** No room in the request budget before the caller's deadline: nothing was sent, or 429. */
  | { readonly kind: 'rate-budget'; readonly retryAtMs: number }
  /** HTTP 4xx with the service's error body: a retry will not help. */
  | { readonly kind: 'refused'; readonly error: ErrorRecord }
  /** An answer that this client cannot read. `detail` quotes no values. */
  | { readonly kind: 'malformed'; readonly detail: string };

const RESULTS = {
  ok: true,
  'not-found': true,
  unavailable: true,
  'rate-budget': true,
  refused: true,
  malformed: true,
} as const satisfies Record<Outcome<unknown>['kind'], true>;

/** How an attempt can end, as metrics name it. */
export const RESULT_NAMES = Object.keys(RESULTS);

/**
 * The outcome of a call. `not-found` is only HTTP 404 with the service's own `NE-1`: a proxy's 404
 * must not look like a deposit that custody does not know.
 */
export type Outcome<Value> =
  { readonly kind: 'ok'; readonly value: Value } | { readonly kind: 'not-found' } | Failure;
