import type { ProblemShown } from '../../api/acting.ts';

/** Statuses of the API's refusals that a page can have too. */
const REFUSALS = [400, 403, 404, 409, 503] as const;

export type RefusalStatus = (typeof REFUSALS)[number];

/** The status of a page that shows a refusal: the API's own, else 409. */
export function refusalStatus({ status }: ProblemShown): RefusalStatus {
  return REFUSALS.find((one) => one === status) ?? 409;
}
