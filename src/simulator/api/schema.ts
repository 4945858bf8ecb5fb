import { z } from '@hono/zod-openapi';
import { pagination } from '../../wire/page.ts';

/** Longest texts of clients. */
const IDENTIFIER_LENGTH_MAX = 256;
const NAME_LENGTH_MAX = 256;

export const identifier = z.string().min(1).max(IDENTIFIER_LENGTH_MAX);
export const name = z.string().min(1).max(NAME_LENGTH_MAX);
export const customData = z.record(z.string(), z.unknown());

/** An amount: a positive integer string in the smallest unit. */
export const positiveAmount = z
  .string()
  .regex(/^0*[1-9][0-9]{0,77}$/, 'must be a positive integer string in the smallest unit')
  .max(78)
  .transform((text) => BigInt(text))
  .openapi({ type: 'string', example: '1000000000000000000' });

/** Schema of a list response (the specification, section "Pagination envelope"). */
export function listOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), pagination });
}

/**
 * Narrows a value that the wire schema leaves open to text; other values become an empty string.
 */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Names a wire schema as a component of the OpenAPI document. It names a copy: a schema that was
 * made before zod's OpenAPI extension loaded has no `openapi` method, and the order of imports must
 * not matter.
 */
export function named<Schema extends z.ZodType>(title: string, schema: Schema): Schema {
  return schema.clone().openapi(title);
}

/** The fields without undefined values, which the world's types do not allow. */
type Defined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/**
 * Removes undefined fields from a body. `exactOptional` would do the same, but the generator of the
 * OpenAPI document would call such a field required.
 */
export function definedFields<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}
