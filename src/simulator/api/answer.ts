import { ERROR_STATUSES } from '../../wire/error.ts';
import type { ErrorBody, ErrorCode } from '../../wire/error.ts';

/** A refusal: an error code (the specification, section "Errors") and a message for people. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  /** Set for `AU-1` only, which means 401 or 403. Other codes have one status each. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer of an endpoint: a JSON body with its status, a redirect, or a refusal. */
export type Answer =
  | {
      readonly kind: 'ok';
      readonly status: 200 | 201;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'redirect';
      readonly location: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | Refusal;

/** Answers 200 with a JSON body. */
export function ok(body: unknown): Answer {
  return { kind: 'ok', status: 200, body };
}

/**
 * The answer of a creation: 201 for a new resource, 200 for an existing one (the specification,
 * section "Idempotent creation").
 */
export function createdOrExisting(kind: 'created' | 'existing', body: unknown): Answer {
  return { kind: 'ok', status: kind === 'created' ? 201 : 200, body };
}

/** Refuses a request with a code of the specification, section "Errors". */
export function refused(code: ErrorCode, message: string): Refusal {
  return { kind: 'refused', code, message };
}

/** Refuses missing or invalid credentials: 401 `AU-1`. */
export function unauthenticated(message: string): Refusal {
  return { kind: 'refused', code: 'AU-1', message, status: 401 };
}

/**
 * Refuses a caller without the permission: 403 `AU-1` (the specification, section "Permissions").
 */
export function forbidden(message: string): Refusal {
  return { kind: 'refused', code: 'AU-1', message, status: 403 };
}

/** Refuses an unknown id: 404 `NE-1`. */
export function notFound(what: string, id: string): Refusal {
  return refused('NE-1', `${what} ${id} not found`);
}

/**
 * The JSON body of an error (the specification, section "Errors"). `endpoint` is `<METHOD> <path>`
 * without the query; `nowMs` is Unix epoch milliseconds.
 */
export function errorBodyOf(refusal: Refusal, endpoint: string, nowMs: number): ErrorBody {
  return {
    statusCode: refusal.status ?? ERROR_STATUSES[refusal.code][0],
    errorCode: refusal.code,
    errorMessage: refusal.message,
    timestamp: new Date(nowMs).toISOString(),
    endpoint,
  };
}
