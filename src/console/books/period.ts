import type { FilterProblem } from '../parts/list/filter-problem.ts';
import { dayOrMoment, daysAfter, dayStartOf, dayText } from '../parts/value/moments.ts';

/** A period as its link has it, and as the store takes it: Unix milliseconds, `to` exclusive. */
export interface Period {
  readonly fromText: string;
  readonly toText: string;
  readonly from: number;
  readonly to: number;
}

/** Days of a statement that nobody chose a period for, today included. */
const DAYS_DEFAULT = 30;

/** The period of a link; the last thirty days where it names none. */
export function periodOf(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
): { readonly period: Period } | { readonly problem: FilterProblem } {
  const detail = 'Write a day such as 2025-11-20, or a moment such as 2025-11-20T12:00:00Z.';
  const toText = query.to || dayText(now);
  const last = dayOrMoment(toText);
  if (last === undefined) return { problem: { title: '“Until” is not a day', detail } };
  const to = last.end;
  const fromText = query.from || dayText(daysAfter(dayStartOf(to - 1), 1 - DAYS_DEFAULT));
  const first = dayOrMoment(fromText);
  if (first === undefined) return { problem: { title: '“From” is not a day', detail } };
  const from = first.start;
  if (from < to) return { period: { fromText, toText, from, to } };
  return {
    problem: { title: 'The period ends before it begins', detail: 'Choose a later end.' },
  };
}

/** Periods that people open every day: UTC days of the calendar. */
export function usualPeriods(
  now: number,
): readonly { readonly name: string; readonly from: string; readonly to: string }[] {
  const today = dayStartOf(now);
  const monthStart = Date.parse(`${dayText(now).slice(0, 7)}-01T00:00:00Z`);
  const lastOfMonthBefore = daysAfter(monthStart, -1);
  const yesterday = dayText(daysAfter(today, -1));
  return [
    { name: 'Today', from: dayText(today), to: dayText(today) },
    { name: 'Yesterday', from: yesterday, to: yesterday },
    { name: 'Seven days', from: dayText(daysAfter(today, -6)), to: dayText(today) },
    { name: 'Thirty days', from: dayText(daysAfter(today, -29)), to: dayText(today) },
    { name: 'This month', from: dayText(monthStart), to: dayText(today) },
    {
      name: 'Last month',
      from: `${dayText(lastOfMonthBefore).slice(0, 7)}-01`,
      to: dayText(lastOfMonthBefore),
    },
  ];
}
