import type { BreakState } from './break.ts';

/**
 * The end of each `unattributed_memo` text. Breaks, their histories and sealed reports hold it, and
 * `verify` and `rebuild` compute it again, so the journal's text never changes.
 */
const FROZEN_ADVICE = ': attribute it to its owner, or register the memo';

/**
 * A break's text as people read it. A memo that somebody registers after the payment ends no hold by
 * itself: only a person who names the owner does. A text of another type is unchanged.
 */
export function shownText(text: string): string {
  if (!text.endsWith(FROZEN_ADVICE)) return text;
  const what = text.slice(0, -FROZEN_ADVICE.length);
  return what.endsWith(' with no memo')
    ? `${what}: name its owner`
    : `${what}: name its owner, and register the memo for later payments`;
}

/** The end of each `reversal_after_credit` text, which stores hold too. */
const FROZEN_PROSPECT =
  ": when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then";

/**
 * A break's text in a sealed report, which does not know what happened since: a promised reversal
 * may be done.
 */
export function sealedText(text: string): string {
  const rolledBack = withoutEnd(text, FROZEN_PROSPECT);
  return rolledBack === undefined
    ? shownText(text)
    : `${rolledBack}: the page of the break says whether the feed has reversed the credit since`;
}

/** The text without the advice at its end; undefined where it has none of this kind. */
function withoutEnd(text: string, end: string): string | undefined {
  return text.endsWith(end) ? text.slice(0, -end.length) : undefined;
}

/**
 * A break's sentence as pages and the API show it, with amounts in smallest units: without the
 * advice that is done. `reversal`: the feed item that reversed the credit, or null.
 */
export function breakText(one: {
  readonly detail: string;
  readonly state: BreakState;
  readonly reversal: object | null;
}): string {
  const { detail, state, reversal } = one;
  const rolledBack = withoutEnd(detail, FROZEN_PROSPECT);
  if (state === 'resolved') {
    if (rolledBack === undefined) return withoutEnd(detail, FROZEN_ADVICE) ?? detail;
    return reversal === null ? rolledBack : `${rolledBack}: the feed reversed the credit`;
  }
  return rolledBack === undefined || reversal === null
    ? shownText(detail)
    : `${rolledBack}: the feed reversed the credit; recover it from the customer's balance`;
}
