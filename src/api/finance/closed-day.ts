import { z } from '@hono/zod-openapi';
import type { Closable } from '../../domain/close/closable.ts';
import { isoTime } from '../formats.ts';
import { notFound, type ProblemError } from '../problem.ts';
import type { Services } from '../services.ts';

/** A calendar date: 2025-02-30 is a mistake, not a day without a report. */
const date = z.iso
  .date('must be a date, such as 2025-11-20')
  .openapi({ type: 'string', format: 'date', example: '2025-11-20' });

export const dateParams = z.strictObject({ date });

/** The 404 problem of a day that is not closed, with what to do. */
export async function notClosed(
  day: string,
  { closable }: Pick<Services, 'closable'>,
): Promise<ProblemError> {
  return notFound(
    `${nextStep(day, await closable(day))} GET /v1/reports/daily lists the closed days.`,
  );
}

function nextStep(day: string, state: Closable): string {
  const call = `POST /v1/reports/daily/${day}/close`;
  switch (state.kind) {
    case 'ended':
      return `${day} is not closed: close it with ${call}.`;
    case 'too_early':
      return `${day} is not closed: it ends at ${isoTime(state.cutOffAt)}. Close it after that with ${call}.`;
    case 'before_journal':
      return state.begins === null
        ? `${day} cannot be closed: the journal is empty. Its first fact begins the first day.`
        : `${day} cannot be closed: the journal begins on ${state.begins}. Days from ${state.begins} on can be closed once they have ended.`;
    default:
      return state satisfies never;
  }
}
