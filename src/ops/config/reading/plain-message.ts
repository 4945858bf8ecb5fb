import type { z } from 'zod';
import { pathText, type Problem } from './problem.ts';

/** A schema's problems with their paths; never quotes a value. */
export function problemsOf(error: z.ZodError): Problem[] {
  return error.issues.map((issue) => ({
    path: issue.path,
    where: pathText(issue.path),
    what: issue.message,
  }));
}

/** The message for a problem without its own text. Never quotes the value. */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_big' && typeof issue.input === 'string') {
    return `must have at most ${issue.maximum} characters, and has ${issue.input.length}`;
  }
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
