import { z } from '@hono/zod-openapi';

/** Money as text: digits of the asset's smallest unit. A JSON number would lose digits. */
export const amountText = z
  .string()
  .openapi({ pattern: '^-?[0-9]+$', example: '1500000000000000000' });

export const timeText = z
  .string()
  .openapi({ format: 'date-time', example: '2025-11-20T01:02:03.004Z' });

/** The refusal of a text that is too long, in the same words for every field: for `.max`. */
export function tooLong(charactersMax: number) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      `must have at most ${charactersMax} characters, and has ${typeof input === 'string' ? input.length : 'more'}`,
  };
}

/** A name or an id of at most so many characters; it must not be empty. */
export function nameText(charactersMax: number) {
  return z.string().min(1).max(charactersMax, tooLong(charactersMax));
}

/** Unix milliseconds as ISO 8601 in UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Unix milliseconds as ISO 8601 in UTC, or null. */
export function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** The JSON body that a call must have. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } } as const;
}

/** The JSON body of a call that may be sent without one. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: false, content: { 'application/json': { schema } } } as const;
}

/** A time in a query, as Unix milliseconds. */
export const moment = z.iso
  .datetime({
    offset: true,
    error: 'must be a time with its zone, such as 2025-11-20T00:00:00Z (write + as %2B)',
  })
  .transform((text) => Date.parse(text))
  .openapi({ type: 'string', format: 'date-time' });
