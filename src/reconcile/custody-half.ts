import type { Priority } from '../custody/budget/lane.ts';
import type { CustodyClient } from '../custody/client.ts';
import {
  NO_REPAIRS,
  type AddressChecks,
  type CustodyRecord,
  type RunRepairs,
} from '../domain/custody.ts';
import type { Tally } from './tally.ts';

/** What a run has for its custody half: an API, time, budget, and where the runs before it were. */
export interface Visit {
  readonly custody: CustodyClient;
  readonly priority: Priority;
  readonly deadlineMs: number;
  /** Rows that changed this much before the place to be read down to are read again. */
  readonly overlapMs: number;
  /** Up to where the list is known, by the service's clock; null until a run has read it whole. */
  readonly known: number | null;
  readonly tally: Tally;
}

/** What the custody API brought in one run: evidence, and what the run says of itself. */
export interface CustodyHalf {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  /** Up to where the list is known now; null where this run did not find out. */
  readonly watermark: number | null;
  /** Why the list was not read to its end, or null when it was. */
  readonly incomplete: string | null;
  readonly addresses: AddressChecks | null;
  readonly repairs: RunRepairs;
}

export const NO_CUSTODY: CustodyHalf = {
  records: [],
  requests: 0,
  watermark: null,
  incomplete: null,
  addresses: null,
  repairs: NO_REPAIRS,
};

/** Requests of the parts of a run; some were not asked for. */
export function requestsOf(
  parts: readonly ({ readonly requests: number } | null | undefined)[],
): number {
  return parts.reduce((sum, part) => sum + (part?.requests ?? 0), 0);
}
