import { z } from '@hono/zod-openapi';
import { notFound, type ProblemError } from '../problem.ts';

/** A calendar date: 2025-02-30 is a mistake, not a day without a report. */
const date = z.iso
  .date('must be a date, such as 2025-11-20')
  .openapi({ type: 'string', format: 'date', example: '2025-11-20' });

export const dateParams = z.strictObject({ date });

/** The 404 problem of a day that is not closed. */
export function notClosed(day: string): ProblemError {
  return notFound(
    `${day} is not closed: list the closed days with GET /v1/reports/daily, or close it with POST /v1/reports/daily/${day}/close after its cut-off.`,
  );
}
