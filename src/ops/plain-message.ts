import type { z } from 'zod';
import { placeOf, type Problem } from './problem.ts';

/** What a schema found, each with its place; never quotes a value. */
export function problemsOf(error: z.ZodError): Problem[] {
  return error.issues.map((issue) => ({
    path: issue.path,
    where: placeOf(issue.path),
    what: issue.message,
  }));
}

/** Words for what no rule has its own message for. Never quotes the value. */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const expected = withArticle(issue.expected);
  if (issue.input === undefined) return `is missing; it must be ${expected}`;
  return `must be ${expected}, not ${withArticle(kindOf(issue.input))}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withArticle(kind: string): string {
  if (kind === 'null') return kind;
  const name = kind === 'int' ? 'integer' : kind;
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}
