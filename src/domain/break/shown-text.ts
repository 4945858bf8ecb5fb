/**
 * The end of each `unattributed_memo` text. Breaks, their histories and sealed reports hold it, and
 * `verify` and `rebuild` compute it again, so the journal's text never changes.
 */
const FROZEN_ADVICE = ': attribute it to its owner, or register the memo';

/**
 * A break's text as people read it. A memo that somebody registers after the payment ends no hold by itself:
 * only a person who names the owner does. A text of another type is unchanged.
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

/** The text of a `reversal_after_credit` after the feed reversed its credit. */
function reversedText(text: string): string {
  if (!text.endsWith(FROZEN_PROSPECT)) return text;
  const what = text.slice(0, -FROZEN_PROSPECT.length);
  return `${what}: the feed reversed the credit; recover it from the customer's balance`;
}

/**
 * A break's sentence as pages and the API show it, with amounts in smallest units. `reversal`: the
 * feed item that reversed the credit, or null.
 */
export function breakText(one: {
  readonly detail: string;
  readonly reversal: object | null;
}): string {
  return shownText(one.reversal === null ? one.detail : reversedText(one.detail));
}
