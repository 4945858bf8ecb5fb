import type { Answered } from '../list/rows-of-hash.ts';
import type { LookupBackoff } from '../pacing/lookup-backoff.ts';
import type { FailedLookUp } from '../pacing/outcome-kind.ts';

/** What one kind of look-ups brought. */
export interface Round<Subject, Answer> extends Answered {
  readonly answers: readonly { readonly subject: Subject; readonly answer: Answer }[];
  readonly postponed: number;
  readonly failed: number;
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
export async function roundOf<Subject, Answer extends Answered & { readonly kind: string }>(
  backoff: LookupBackoff<Subject>,
  round: {
    due: readonly Subject[];
    max: number;
    now: number;
    ask: (subject: Subject) => Promise<Answer | FailedLookUp>;
  },
): Promise<Round<Subject, Answer>> {
  const { due, max, now, ask } = round;
  const answers: { subject: Subject; answer: Answer }[] = [];
  let [failed, requests, final] = [0, 0, false];
  for (const subject of due) {
    if (requests + failed >= max) break;
    const answer = await ask(subject);
    if (isFailed(answer)) {
      failed += 1;
      final = answer.final && !answer.isAttempt;
      // A look-up that keeps failing must not starve the others.
      if (answer.isAttempt) backoff.take(subject, now);
      if (answer.final) break;
      continue;
    }
    requests += answer.requests;
    backoff.take(subject, now);
    answers.push({ subject, answer });
  }
  const transactions = answers.flatMap(({ answer }) => answer.transactions);
  const postponed = due.length - answers.length - failed;
  return { answers, transactions, postponed, failed, requests, final };
}

function isFailed(answer: { readonly kind: string }): answer is FailedLookUp {
  return answer.kind === 'failed';
}
