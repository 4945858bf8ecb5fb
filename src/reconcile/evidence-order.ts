import type { CustodyRecord } from '../domain/custody.ts';
import type { Submitted } from '../store/port.ts';

/**
 * Records that decide which deposits are internal, in the order in which they are taken: what the API
 * knows, whose hashes are none of ours for good, and last what it does not know.
 */
const ABOUT_OWN = ['outgoing', 'disowned-hash', 'unknown-transaction'] as const;

/** Why an outcome means that a fact was not taken, or null when it was. */
export function refusalIn(outcome: Submitted | undefined): string | null {
  if (outcome?.kind === 'busy') return 'busy';
  return outcome?.kind === 'unavailable' ? outcome.cause : null;
}

/**
 * Hands evidence to the writer; the reason when not all of it was taken. Own outgoing transactions
 * go first, and nothing follows them unless all were taken: a deposit must never be verified before
 * its hash is known to be our own.
 */
export async function submitInOrder(
  records: readonly CustodyRecord[],
  submit: (records: readonly CustodyRecord[]) => Promise<readonly Submitted[]>,
): Promise<string | null> {
  const own = ABOUT_OWN.flatMap((kind) => records.filter((record) => record.kind === kind));
  const rest = records.filter(({ kind }) => !ABOUT_OWN.some((one) => one === kind));
  for (const part of [own, rest]) {
    const outcomes = await submit(part);
    const refusal = outcomes.map(refusalIn).find((reason) => reason !== null);
    if (refusal !== undefined) return `the store did not take all evidence (${refusal})`;
  }
  return null;
}
