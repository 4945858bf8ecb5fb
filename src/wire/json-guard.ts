/**
 * What the guards of this folder are made of. All of them read values as `JSON.parse` gives them:
 * a missing member and one that is null mean the same (`nullish` in the schemas).
 */

/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTextOrMissing(value: unknown): boolean {
  return isText(value) || isMissing(value);
}

/** A text that is not empty. */
export function isIdentifier(value: unknown): value is string {
  return isText(value) && value !== '';
}

export function isIdentifierOrMissing(value: unknown): boolean {
  return isIdentifier(value) || isMissing(value);
}

/** A whole number from 0 up, exact. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function isCountOrMissing(value: unknown): boolean {
  return isCount(value) || isMissing(value);
}

export function isObjectOrMissing(value: unknown): boolean {
  return isJsonObject(value) || isMissing(value);
}

/** Whether it is a list, and each of its items passes. */
export function areAll(value: unknown, passes: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(passes);
}
