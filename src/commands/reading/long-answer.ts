import type { Part } from './messages.ts';

/**
 * Items in one message. Whoever receives a message builds its objects in one go, so this bounds
 * how long an answer, however long, keeps the receiver from other work: below 10 ms.
 */
const ITEMS_PER_PART = 500;

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ITEMS_PER_PART;
}

function* partsOf(of: string | null, items: readonly unknown[]): Generator<Part> {
  for (let from = 0; from < items.length; from += ITEMS_PER_PART) {
    yield { of, items: items.slice(from, from + ITEMS_PER_PART) };
  }
}

/** An answer without its long lists, and those lists in parts. */
export function divided(answer: unknown): { rest: unknown; parts: Generator<Part> } {
  if (isLong(answer)) return { rest: [], parts: partsOf(null, answer) };
  const lists: [string, readonly unknown[]][] = [];
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) {
    for (const [key, member] of Object.entries(answer))
      if (isLong(member)) lists.push([key, member]);
  }
  const parts = (function* () {
    for (const [key, items] of lists) yield* partsOf(key, items);
  })();
  if (lists.length === 0) return { rest: answer, parts };
  const emptied = lists.map(([key]): [string, unknown[]] => [key, []]);
  return { rest: { ...(answer as object), ...Object.fromEntries(emptied) }, parts };
}

/** Puts an answer together again from its parts, as they arrive. */
export class LongAnswer {
  readonly #lists = new Map<string | null, unknown[]>();

  take({ of, items }: Part): void {
    const known = this.#lists.get(of);
    if (known === undefined) this.#lists.set(of, [...items]);
    else for (const item of items) known.push(item);
  }

  /** The whole answer, from what came last. */
  with(rest: unknown): unknown {
    if (this.#lists.size === 0) return rest;
    return this.#lists.get(null) ?? Object.assign({}, rest, Object.fromEntries(this.#lists));
  }
}
