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
