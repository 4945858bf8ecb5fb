import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { LookupBackoff } from '../pacing/lookup-backoff.ts';
import type { FailedLookUp } from '../pacing/outcome-kind.ts';

/** Rows that look-ups brought, and their requests. */
export interface Answered {
  readonly transactions: readonly CustodyTransaction[];
  readonly requests: number;
}

/** The answer to one look-up. */
export type Found =
  | ({ readonly kind: 'found' } & Answered)
  /** A complete answer without the transaction; carries the hash's other rows. */
  | ({ readonly kind: 'absent' } & Answered)
  | FailedLookUp;

/** Progress of one kind of look-ups. */
interface Round<Subject> {
  readonly transactions: CustodyTransaction[];
  readonly absent: Subject[];
  readonly postponed: number;
  readonly failed: number;
  readonly requests: number;
  /**
   * The API cannot be asked any more in this run. If it failed at one subject, it may answer for those
   * of another kind: anybody can forge subjects at which it fails.
   */
  readonly final: boolean;
}

/**
 * Looks up subjects that are due, in their order, until `max` requests are used or the API cannot be
 * asked any more. `now`: Unix milliseconds.
 */
export async function roundOf<Subject>(
  backoff: LookupBackoff<Subject>,
  round: {
    due: readonly Subject[];
    max: number;
    now: number;
    ask: (subject: Subject) => Promise<Found>;
  },
): Promise<Round<Subject>> {
  const { due, max, now, ask } = round;
  const transactions: CustodyTransaction[] = [];
  const absent: Subject[] = [];
  let [failed, requests, final] = [0, 0, false];
  let answered = 0;
  for (const subject of due) {
    if (requests + failed >= max) break;
    const found = await ask(subject);
    if (found.kind === 'failed') {
      failed += 1;
      final = found.final && !found.isAttempt;
      // A look-up that keeps failing must not starve the others.
      if (found.isAttempt) backoff.take(subject, now);
      if (found.final) break;
      continue;
    }
    answered += 1;
    requests += found.requests;
    backoff.take(subject, now);
    if (found.kind === 'absent') absent.push(subject);
    transactions.push(...found.transactions);
  }
  const postponed = due.length - answered - failed;
  return { transactions, absent, postponed, failed, requests, final };
}
