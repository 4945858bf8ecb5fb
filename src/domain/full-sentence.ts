/**
 * A half-sentence of a rule as a sentence of its own: `it is not held` as `It is not held.` A first
 * word that is no plain word, such as an id or the name of a member, stays as it is.
 */
export function fullSentence(text: string): string {
  const begun = /^[a-z]+(?=[ ,])/.test(text)
    ? text.slice(0, 1).toUpperCase() + text.slice(1)
    : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
