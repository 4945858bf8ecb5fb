import type { LifeFact } from '../../../store/answers.ts';

/** The members of a journalled body. */
export type FactBody = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** The members of a fact's body; none for a body that cannot be read. */
export function bodyOf(fact: LifeFact | undefined): FactBody {
  if (fact?.body === undefined || fact.body === null) return {};
  try {
    const parsed: unknown = JSON.parse(decoder.decode(fact.body));
    return typeof parsed === 'object' && parsed !== null ? (parsed as FactBody) : {};
  } catch {
    return {};
  }
}

/** A member of a journalled body as text; null for a member that is neither text nor number. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** The transaction of a custody record's body; null for a body without one. */
export function transactionIn({ transaction }: FactBody): FactBody | null {
  return typeof transaction === 'object' ? (transaction as FactBody | null) : null;
}
