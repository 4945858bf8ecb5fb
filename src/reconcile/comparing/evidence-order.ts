import type { CustodyRecord } from '../../domain/fact/custody-record.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { Submitted } from '../../store/port.ts';

/**
 * Records that decide which deposits are internal, in the order of submission: transactions that the
 * API knows, then hashes that are proven foreign, then transactions that the API does not know.
 */
const ABOUT_OWN = ['outgoing', 'disowned-hash', 'unknown-transaction'] as const;

/** Why a fact was not taken; null when it was. */
export function refusalIn(outcome: Submitted | undefined): string | null {
  if (outcome?.kind === 'busy') return 'busy';
  return outcome?.kind === 'unavailable' ? outcome.cause : null;
}

/** The writer, as the reconciler uses it. */
interface Writer {
  /** Resolves when the facts are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
}

/** Submits records to the writer. */
export function submitRecords(
  records: readonly CustodyRecord[],
  { submit, now }: Writer,
): Promise<readonly Submitted[]> {
  const at = now();
  return submit(records.map((record) => ({ kind: 'custody-record', at, record }) as const));
}

/**
 * Submits records to the writer and returns why not all were taken, or null. Own outgoing
 * transactions go first. When one of them is refused, nothing else is submitted: a deposit must
 * never be verified before its hash is known to be our own.
 */
export async function submitInOrder(
  records: readonly CustodyRecord[],
  writer: Writer,
): Promise<string | null> {
  const own = ABOUT_OWN.flatMap((kind) => records.filter((record) => record.kind === kind));
  const rest = records.filter(({ kind }) => !ABOUT_OWN.some((one) => one === kind));
  for (const part of [own, rest]) {
    const outcomes = await submitRecords(part, writer);
    const refusal = outcomes.map(refusalIn).find((reason) => reason !== null);
    if (refusal !== undefined) return `the store did not take all evidence (${refusal})`;
  }
  return null;
}
