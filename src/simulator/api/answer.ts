import { ERROR_STATUSES } from '../../wire/error.ts';
import type { ErrorBody, ErrorCode } from '../../wire/error.ts';

/** A refusal as a value: a code of the closed list of section "Errors" and a message for people. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  /** Only `AU-1` needs it, which stands for 401 and for 403; otherwise the code's own status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an endpoint answers: a JSON body with its status, the way to elsewhere, or a refusal. */
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

export function ok(body: unknown): Answer {
  return { kind: 'ok', status: 200, body };
}

/** Idempotent creation: 201 for a new resource, 200 for the existing one. */
export function createdOrExisting(kind: 'created' | 'existing', body: unknown): Answer {
  return { kind: 'ok', status: kind === 'created' ? 201 : 200, body };
}

export function refused(code: ErrorCode, message: string): Refusal {
  return { kind: 'refused', code, message };
}

export function unauthenticated(message: string): Refusal {
  return { kind: 'refused', code: 'AU-1', message, status: 401 };
}

export function forbidden(message: string): Refusal {
  return { kind: 'refused', code: 'AU-1', message, status: 403 };
}

export function notFound(what: string, id: string): Refusal {
  return refused('NE-1', `${what} ${id} not found`);
}

/** The JSON body of section "Errors"; `endpoint` is `<METHOD> <path>` without the query. */
export function errorBodyOf(refusal: Refusal, endpoint: string, nowMs: number): ErrorBody {
  return {
    statusCode: refusal.status ?? ERROR_STATUSES[refusal.code][0],
    errorCode: refusal.code,
    errorMessage: refusal.message,
    timestamp: new Date(nowMs).toISOString(),
    endpoint,
  };
}
