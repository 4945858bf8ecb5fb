import type { z } from 'zod';
import { errorRecord } from '../../wire/error.ts';
import type { ErrorRecord } from '../../wire/error.ts';
import type { Outcome } from './outcome.ts';
import type { HttpResult } from './transport.ts';

type Answer = Extract<HttpResult, { kind: 'answer' }>;

/** Most problems of a body that a detail lists. */
const ISSUES_MAX = 3;

/** The result of reading a JSON value. `detail` quotes no values, only paths and kinds. */
export type Read<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'malformed'; readonly detail: string };

export type Reader<Value> = (json: unknown) => Read<Value>;

/**
 * A reader for a wire schema; its value is the schema's output. A value that does not fit is
 * `malformed`.
 */
export function readerOf<Schema extends z.ZodType>(schema: Schema): Reader<z.infer<Schema>> {
  return (json) => {
    const parsed = schema.safeParse(json);
    if (parsed.success) return { kind: 'ok', value: parsed.data };
    return { kind: 'malformed', detail: issueText(parsed.error) };
  };
}

/** A complete but unreadable answer; a retry may read it. */
export interface Damaged {
  readonly kind: 'damaged';
  readonly detail: string;
}

/** Not `damaged`: a retry would be as long. */
const TOO_LONG = { kind: 'malformed', detail: 'the body is longer than the bound' } as const;

/**
 * The outcome of an answer other than 429 (the specification, section "Errors"). 404 is `not-found`
 * only with `NE-1`. Another 4xx with the error body is `refused`, and 5xx is `unavailable`. A 2xx
 * that is not JSON is `damaged`.
 */
export function outcomeOf<Value>(answer: Answer, read: Reader<Value>): Outcome<Value> | Damaged {
  const { status, body } = answer;
  const json = body === undefined ? TOO_LONG : jsonOf(body);
  if (status >= 500) return serverError(status, json.kind === 'json' ? json.value : undefined);
  if (json.kind === 'malformed') return json;
  if (json.kind === 'damaged') {
    // A proxy's 4xx page is not damaged: a retry gives the same page.
    if (status >= 200 && status < 300) return json;
    return { kind: 'malformed', detail: `HTTP ${status}: ${json.detail}` };
  }
  if (status >= 200 && status < 300) return read(json.value);
  if (status === 404 && codeOf(json.value) === 'NE-1') return { kind: 'not-found' };
  const error = errorRecord.safeParse(json.value);
  if (status >= 400 && error.success) return { kind: 'refused', error: error.data };
  return { kind: 'malformed', detail: `HTTP ${status} without the service's error body` };
}

function serverError(status: number, json: unknown): Outcome<never> {
  const error: ErrorRecord | undefined = errorRecord.safeParse(json).data;
  const cause = {
    kind: 'server-error',
    status,
    ...(error === undefined ? {} : { error }),
  } as const;
  return { kind: 'unavailable', cause };
}

function jsonOf(body: Uint8Array): { kind: 'json'; value: unknown } | Damaged {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'damaged', detail: `the body of ${body.byteLength} bytes is not JSON` };
  }
}

function codeOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'errorCode' in json
    ? json.errorCode
    : undefined;
}

/** The first issues of an answer in one line, each with its path, and the number of the others. */
export function issueText(error: z.ZodError): string {
  const named = error.issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `${issue.path.join('.') || 'the body'}: ${issue.message}`);
  const more = error.issues.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
