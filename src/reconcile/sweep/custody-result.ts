import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import {
  NO_REPAIRS,
  type AddressChecks,
  type CustodyRecord,
  type RunRepairs,
} from '../../domain/fact/custody-record.ts';
import type { Tally } from '../comparing/tally.ts';

/** The API, start, deadline, budget lane and watermark of a run. */
export interface RunContext {
  readonly custody: CustodyClient;
  readonly priority: Priority;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly deadlineMs: number;
  /** Overlap in milliseconds: rows this much older than the watermark are read again. */
  readonly overlapMs: number;
  /** The watermark by the service's clock, Unix milliseconds; null until a run read the whole list. */
  readonly known: number | null;
  readonly tally: Tally;
  /** The journal position when the run began. */
  readonly askedAfter: number;
}

/** The custody API's part of a run: records to journal, and the run's own figures. */
export interface CustodyResult {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  /** The new watermark; null when this run did not advance it. */
  readonly watermark: number | null;
  /** Why the list was not read to its end; null when it was. */
  readonly incomplete: string | null;
  readonly addresses: AddressChecks | null;
  readonly repairs: RunRepairs;
}

export const NO_CUSTODY_RESULT: CustodyResult = {
  records: [],
  requests: 0,
  watermark: null,
  incomplete: null,
  addresses: null,
  repairs: NO_REPAIRS,
};

/** Sum of the requests of a run's parts; absent parts count zero. */
export function requestsOf(
  parts: readonly ({ readonly requests: number } | null | undefined)[],
): number {
  return parts.reduce((sum, part) => sum + (part?.requests ?? 0), 0);
}
