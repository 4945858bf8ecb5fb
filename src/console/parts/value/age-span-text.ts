import type { AgeSpan } from '../../../domain/break/age-span.ts';

/** Spans of ages for people. */
export const AGE_SPAN_TEXTS: Readonly<Record<AgeSpan, string>> = {
  hour: 'under 1 h',
  day: '1 h to 1 d',
  week: '1 d to 7 d',
  older: 'over 7 d',
};
