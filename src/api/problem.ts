import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { CONFLICT_REASONS, type ConflictReason, type Refusal } from '../domain/fact/decision.ts';
import { fullSentence } from '../domain/full-sentence.ts';
import { ReadRefused } from '../store/reads.ts';

/** Every kind of refusal, with its status and title. */
const PROBLEMS = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'No valid token' },
  forbidden: { status: 403, title: 'The role does not allow this' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The path does not take this method' },
  conflict: { status: 409, title: 'Conflicts with the current state' },
  'precondition-failed': { status: 412, title: 'Changed in the meantime' },
  'too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is not JSON' },
  'precondition-required': { status: 428, title: 'If-Match is missing' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Not available now' },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

function typeOf<Kind extends ProblemKind>(kind: Kind) {
  return `urn:counterfoil:problem:${kind}` as const;
}

const TYPES = (Object.keys(PROBLEMS) as ProblemKind[]).map(typeOf);

const PROBLEM_JSON = 'application/problem+json';

/** An error body, RFC 9457. `detail` says what to do. */
const problemSchema = z
  .object({
    type: z.enum(TYPES).openapi({ description: 'The kind of problem, for programs.' }),
    title: z.string().openapi({ description: 'The same for every problem of a type.' }),
    status: z.int().openapi({ description: 'The HTTP status.' }),
    detail: z.string().openapi({ description: 'What happened, and what to do.' }),
    reason: z.enum(CONFLICT_REASONS).optional().openapi({
      description:
        'Which conflict an acknowledgement met, for programs: `reversed` (the credit was reversed before it) or `other-reference` (it is acknowledged under another reference).',
    }),
    instance: z.string().openapi({ description: 'The path that was called.' }),
  })
  .openapi('Problem', {
    example: {
      type: 'urn:counterfoil:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: 'There is no deposit dep_1: list them with GET /v1/deposits.',
      instance: '/v1/deposits/dep_1',
    },
  });

export interface Problem {
  readonly kind: ProblemKind;
  readonly detail: string;
  /** Tells the conflicts of an acknowledgement apart, beside one `type` for all. */
  readonly reason?: ConflictReason;
}

/** Answers with a problem. `instance` omits the query, which may hold secrets. */
export function answerProblem(
  context: Context,
  problem: Problem,
  headers: Record<string, string> = {},
): Response {
  const { status, title } = PROBLEMS[problem.kind];
  const body = {
    type: typeOf(problem.kind),
    title,
    status,
    detail: problem.detail,
    ...(problem.reason === undefined ? {} : { reason: problem.reason }),
    instance: context.req.path,
  } satisfies z.infer<typeof problemSchema>;
  return context.body(JSON.stringify(body), status, {
    'Content-Type': PROBLEM_JSON,
    'Cache-Control': 'no-store',
    ...headers,
  });
}

/** A problem thrown out of a handler; `problemOf` answers with it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** A 404 problem to throw. */
export function notFound(detail: string): ProblemError {
  return new ProblemError({ kind: 'not-found', detail });
}

/** The HTTP problem of a domain refusal; rules give half-sentences. */
export function refusalProblem(refusal: Refusal): ProblemError {
  const { kind, ...problem } = refusal;
  const detail = fullSentence(refusal.detail);
  return new ProblemError({ kind: KIND_OF_REFUSAL[kind], ...problem, detail });
}

const KIND_OF_REFUSAL = {
  not_found: 'not-found',
  conflict: 'conflict',
  stale: 'precondition-failed',
} as const satisfies Record<Refusal['kind'], ProblemKind>;

const KIND_OF_STATUS: Partial<Record<number, ProblemKind>> = {
  400: 'invalid-request',
  413: 'too-large',
  415: 'unsupported-media-type',
};

const DETAIL_OF_STATUS: Partial<Record<number, string>> = {
  400: 'The body is no valid JSON: it may be cut off. See /docs for what this call takes.',
  413: 'The body is larger than any call needs: send only the call’s fields.',
  415: 'Send the body as JSON, with Content-Type: application/json.',
};

/** Seconds until a retry, while the store cannot write or too many lists are read. */
const RETRY_AFTER_SECONDS = '5';

/** Maps a handler's error to an answer; undefined for a bug. No other code does this. */
export function problemOf(context: Context, error: Error): Response | undefined {
  if (error instanceof ProblemError) {
    const { problem } = error;
    const headers: Record<string, string> =
      problem.kind === 'unavailable' ? { 'Retry-After': RETRY_AFTER_SECONDS } : {};
    return answerProblem(context, problem, headers);
  }
  if (error instanceof ReadRefused) {
    const problem = { kind: 'unavailable', detail: fullSentence(error.message) } as const;
    return answerProblem(context, problem, { 'Retry-After': RETRY_AFTER_SECONDS });
  }
  if (error instanceof HTTPException) {
    const kind = KIND_OF_STATUS[error.status];
    if (kind === undefined) return undefined;
    const detail = DETAIL_OF_STATUS[error.status] ?? error.message;
    return answerProblem(context, { kind, detail });
  }
  return undefined;
}

/** The message for a problem without its own text, instead of the library's. */
function plainWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid ')) {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  }
  const received = /^Invalid input: expected \w+, received (\w+)$/.exec(issue.message)?.[1];
  if (issue.code !== 'invalid_type' || received === undefined) return issue.message;
  if (received === 'undefined') return 'is missing';
  if (received === 'array' && issue.expected === 'string')
    return 'must be one text, not a list: give it once';
  return `must be of type ${issue.expected}, not ${received}`;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `not known here: ${issue.keys.join(', ')}`;
  const path = issue.path.map(String).join('.');
  const what = plainWords(issue);
  return path === '' ? what : `${path}: ${what}`;
}

const ISSUES_SHOWN_MAX = 3;

/** What the call takes instead of an unknown parameter. */
function takenInstead(error: z.core.$ZodError, parameters: readonly string[] | undefined): string {
  const isUnknown = error.issues.some(({ code }) => code === 'unrecognized_keys');
  if (!isUnknown || parameters === undefined) return '';
  return parameters.length === 0
    ? ' This call takes no parameters.'
    : ` This call takes ${parameters.join(', ')}.`;
}

/**
 * The problem of a call's parameters or body. `parameters`: the names that the call takes in its
 * query, where that part is wrong.
 */
export function invalidRequest(
  part: string,
  error: z.core.$ZodError,
  parameters?: readonly string[],
): Problem {
  // The unknown names first: behind missing ones they would be cut off.
  const unknown = error.issues.filter(({ code }) => code === 'unrecognized_keys');
  const others = error.issues.filter(({ code }) => code !== 'unrecognized_keys');
  const shown = [...unknown, ...others].slice(0, ISSUES_SHOWN_MAX);
  const issues = shown.map(describeIssue).join('; ');
  const instead = takenInstead(error, parameters);
  const detail = `${part}: ${issues}.${instead} See /docs for what this call takes.`;
  return { kind: 'invalid-request', detail };
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds until the next try.',
    schema: { type: 'integer' },
  },
} as const;

/** Problems that every call under `/v1` can answer. */
const ALWAYS: readonly ProblemKind[] = [
  'invalid-request',
  'unauthenticated',
  'forbidden',
  'unavailable',
];

/** Problems of a call with a body. */
export const BODY_PROBLEMS: readonly ProblemKind[] = ['too-large', 'unsupported-media-type'];

/** Problems of a call that changes something which it names. */
export const WRITE_PROBLEMS: readonly ProblemKind[] = ['not-found', 'conflict', ...BODY_PROBLEMS];

/**
 * The answers of a route, for OpenAPI. Problems are not in its type: handlers throw them and only
 * return the 200. `causes`: what a problem means for this route, where its title says too little.
 */
export function answers<Schema extends z.ZodType>(
  success: { readonly description: string; readonly schema: Schema },
  problems: readonly ProblemKind[] = [],
  causes: Partial<Record<ProblemKind, string>> = {},
) {
  const refused: object = Object.fromEntries(
    [...ALWAYS, ...problems].map((kind) => {
      const { status, title } = PROBLEMS[kind];
      const answer = {
        description: causes[kind] ?? title,
        content: { [PROBLEM_JSON]: { schema: problemSchema } },
      };
      return [status, kind === 'unavailable' ? { ...answer, headers: RETRY_AFTER } : answer];
    }),
  );
  const { description, schema } = success;
  return { ...refused, 200: { description, content: { 'application/json': { schema } } } };
}
