import { expect } from 'vitest';

// Matchers of vitest are `any`; these are not, so that a test cannot pass one on unchecked.
export const ANY_NUMBER: unknown = expect.any(Number);
export const ANY_ARRAY: unknown = expect.any(Array);
/** Text with at least one character. */
export const TEXT: unknown = expect.stringMatching(/./);

export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
/** An object with at least these fields. */
export const holding = (fields: object): unknown => expect.objectContaining(fields);
/** A list with at least these members. */
export const including = (...members: unknown[]): unknown => expect.arrayContaining(members);
