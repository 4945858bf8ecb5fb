import type { ReportDifference } from '../domain/close/report.ts';

/** Sealed reports hold this text, and the audit computes it again. It does not say which side moved. */
const FROZEN_IN_GRACE = 'booked so shortly before the cut-off that the other side may still follow';

const SHOWN_IN_GRACE =
  'one side moved so shortly before the cut-off that the other may still follow. Look again after the grace period.';

/** Whether funds left on the chain and the books do not know it. */
function isUnbookedDebit({ against, expected, actual }: ReportDifference): boolean {
  return against === 'chain' && actual === '0' && expected.startsWith('-');
}

/** The explanations whose text begins with a break's type. */
const OF_BREAKS: ReadonlySet<ReportDifference['explanation']> = new Set([
  'break',
  'resolved_break',
  'exempt',
]);

/** The explanation of a difference as people read it. */
export function shownDetail(one: ReportDifference): string {
  if (OF_BREAKS.has(one.explanation)) {
    return one.detail.replace(/^[a-z_]+(?=[:,] )/, (type) => type.replaceAll('_', ' '));
  }
  if (one.explanation !== 'in_grace' || one.detail !== FROZEN_IN_GRACE) return one.detail;
  return isUnbookedDebit(one)
    ? `${SHOWN_IN_GRACE} If the books do not follow, a critical break opens.`
    : SHOWN_IN_GRACE;
}
