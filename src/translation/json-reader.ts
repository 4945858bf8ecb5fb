/** A JSON object whose members are unchecked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object, neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A flaw of a value, with its path: `['balanceChanges', 7, 'amount']`. */
export interface Flaw {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Most flaws reported for one value. A body may have 100,000; a few examples are enough for its
 * sender.
 */
export const FLAWS_MAX = 3;

/**
 * Reads members of parsed JSON. Records a flaw for a member that does not fit and returns a
 * placeholder of its type, so values read with flaws must not be used. A missing optional member
 * equals null.
 */
export class JsonReader {
  readonly flaws: Flaw[] = [];
  readonly #path: (string | number)[] = [];

  /** Whether enough flaws were found: loops over lists may stop. */
  get isFull(): boolean {
    return this.flaws.length >= FLAWS_MAX;
  }

  /** Enters a member or item: later flaws get its path, until `leave`. */
  enter(name: string | number): void {
    this.#path.push(name);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Records a flaw of a member or item; without `name`, of the current value. */
  note(message: string, name?: string | number): void {
    if (this.isFull) return;
    const path = name === undefined ? [...this.#path] : [...this.#path, name];
    this.flaws.push({ path, message });
  }

  text(from: JsonObject, name: string): string {
    const value = from[name];
    if (typeof value === 'string') return value;
    this.note('must be a text', name);
    return '';
  }

  optionalText(from: JsonObject, name: string): string | null {
    const value = from[name] ?? null;
    return value === null ? null : this.text(from, name);
  }

  /** A text that is not empty. */
  identifier(from: JsonObject, name: string): string {
    const value = from[name];
    if (typeof value === 'string' && value !== '') return value;
    this.note('must be a text that is not empty', name);
    return '';
  }

  optionalIdentifier(from: JsonObject, name: string): string | null {
    const value = from[name] ?? null;
    return value === null ? null : this.identifier(from, name);
  }

  /** A whole number from 0 to `max`, exact. */
  count(from: JsonObject, name: string, max: number = Number.MAX_SAFE_INTEGER): number {
    const value = from[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) {
      return value;
    }
    this.note(`must be a whole number from 0 to ${max}`, name);
    return 0;
  }

  optionalCount(from: JsonObject, name: string): number | null {
    const value = from[name] ?? null;
    return value === null ? null : this.count(from, name);
  }

  finiteNumber(from: JsonObject, name: string): void {
    if (!Number.isFinite(from[name])) this.note('must be a number', name);
  }

  object(from: JsonObject, name: string): JsonObject | null {
    const value = from[name];
    if (isJsonObject(value)) return value;
    this.note('must be an object', name);
    return null;
  }

  optionalObject(from: JsonObject, name: string): JsonObject | null {
    const value = from[name] ?? null;
    return value === null ? null : this.object(from, name);
  }

  list(from: JsonObject, name: string): readonly unknown[] | null {
    const value = from[name];
    if (Array.isArray(value)) return value as readonly unknown[];
    this.note('must be a list', name);
    return null;
  }

  optionalList(from: JsonObject, name: string): readonly unknown[] | null {
    const value = from[name] ?? null;
    return value === null ? null : this.list(from, name);
  }

  /** One of some words. */
  oneOf<Word extends string>(from: JsonObject, name: string, words: readonly Word[]): Word | null {
    const value = from[name];
    for (const word of words) if (word === value) return word;
    this.note(`must be one of ${words.join(', ')}`, name);
    return null;
  }
}
