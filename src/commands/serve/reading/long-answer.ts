import type { Part } from './messages.ts';

/**
 * Objects in one message. Whoever receives a message builds its objects in one go, so this bounds
 * how long an answer, however long, keeps the receiver from other work: below 10 ms, but for a single
 * item that is large in itself.
 */
const OBJECTS_PER_PART = 2_000;

type Collection = readonly unknown[] | ReadonlyMap<unknown, unknown>;

function isCollection(value: unknown): value is Collection {
  return Array.isArray(value) || value instanceof Map;
}

/** Of how many objects an item is, itself among them. */
function weightOf(item: unknown): number {
  if (typeof item !== 'object' || item === null || ArrayBuffer.isView(item)) return 1;
  let weight = 1;
  for (const member of item instanceof Map ? item.values() : Object.values(item)) {
    if (typeof member === 'object') weight += weightOf(member);
  }
  return weight;
}

function isLong(value: unknown): value is Collection {
  if (!isCollection(value)) return false;
  let weight = 0;
  for (const item of value) weight += weightOf(item);
  return weight > OBJECTS_PER_PART;
}

function* partsOf(of: string | null, collection: Collection): Generator<Part> {
  const isMap = collection instanceof Map;
  let items: unknown[] = [];
  let weight = 0;
  for (const item of collection) {
    items.push(item);
    weight += weightOf(item);
    if (weight < OBJECTS_PER_PART) continue;
    yield { of, isMap, items };
    items = [];
    weight = 0;
  }
  if (items.length > 0) yield { of, isMap, items };
}

/** An answer without its long lists and maps, and those in parts. */
export function divided(answer: unknown): { rest: unknown; parts: Generator<Part> } {
  if (isLong(answer)) return { rest: [], parts: partsOf(null, answer) };
  const long: [string, Collection][] = [];
  if (typeof answer === 'object' && answer !== null && !isCollection(answer)) {
    for (const [key, member] of Object.entries(answer)) {
      if (isLong(member)) long.push([key, member]);
    }
  }
  const parts = (function* () {
    for (const [key, collection] of long) yield* partsOf(key, collection);
  })();
  if (long.length === 0) return { rest: answer, parts };
  const emptied = long.map(([key]): [string, unknown[]] => [key, []]);
  return { rest: { ...(answer as object), ...Object.fromEntries(emptied) }, parts };
}

/** Puts an answer together again from its parts, as they arrive. */
export class LongAnswer {
  readonly #collections = new Map<string | null, unknown[] | Map<unknown, unknown>>();

  take({ of, isMap, items }: Part): void {
    const known = this.#collections.get(of) ?? (isMap ? new Map<unknown, unknown>() : []);
    this.#collections.set(of, known);
    if (known instanceof Map) {
      for (const [key, value] of items as [unknown, unknown][]) known.set(key, value);
    } else for (const item of items) known.push(item);
  }

  /** The whole answer, from what came last. */
  with(rest: unknown): unknown {
    if (this.#collections.size === 0) return rest;
    const whole = this.#collections.get(null);
    return whole ?? Object.assign({}, rest, Object.fromEntries(this.#collections));
  }
}
