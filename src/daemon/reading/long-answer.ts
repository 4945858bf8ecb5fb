import type { Part } from './messages.ts';

/**
 * Most objects in one message. The receiver builds all objects of a message at once, so this limits
 * how long a large answer blocks it: below 10 ms, unless a single item is larger.
 */
const OBJECTS_PER_PART = 2_000;

type Collection = readonly unknown[] | ReadonlyMap<unknown, unknown>;

function isCollection(value: unknown): value is Collection {
  return Array.isArray(value) || value instanceof Map;
}

/** Number of objects in an item, itself included. */
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

/** Splits an answer into the parts of its long lists and maps, and the rest. */
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

/** Reassembles an answer from its parts. */
export class LongAnswer {
  readonly #collections = new Map<string | null, unknown[] | Map<unknown, unknown>>();

  take({ of, isMap, items }: Part): void {
    const known = this.#collections.get(of) ?? (isMap ? new Map<unknown, unknown>() : []);
    this.#collections.set(of, known);
    if (known instanceof Map) {
      for (const [key, value] of items as [unknown, unknown][]) known.set(key, value);
    } else for (const item of items) known.push(item);
  }

  /** The whole answer; `rest` arrives last. */
  with(rest: unknown): unknown {
    if (this.#collections.size === 0) return rest;
    const whole = this.#collections.get(null);
    return whole ?? Object.assign({}, rest, Object.fromEntries(this.#collections));
  }
}
