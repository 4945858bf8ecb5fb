import { z } from '@hono/zod-openapi';
import { pagination } from '../../wire/page.ts';

/** Bounds of texts that clients choose. */
const IDENTIFIER_LENGTH_MAX = 256;
const NAME_LENGTH_MAX = 256;

export const identifier = z.string().min(1).max(IDENTIFIER_LENGTH_MAX);
export const name = z.string().min(1).max(NAME_LENGTH_MAX);
export const customData = z.record(z.string(), z.unknown());

/** An amount to move: a positive integer string in the smallest unit. */
export const positiveAmount = z
  .string()
  .regex(/^0*[1-9][0-9]{0,77}$/, 'must be a positive integer string in the smallest unit')
  .max(78)
  .transform((text) => BigInt(text))
  .openapi({ type: 'string', example: '1000000000000000000' });

/** The envelope of a list of rows. */
export function listOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), pagination });
}

/** A time that a wire schema leaves open, as the text it is here. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Names a wire schema as a component of the OpenAPI document. On a copy: schemas made before the
 * OpenAPI extension of zod was loaded lack its method, and the order of imports must not matter.
 */
export function named<Schema extends z.ZodType>(title: string, schema: Schema): Schema {
  return schema.clone().openapi(title);
}

/** The same fields without those that are undefined, which the world's types do not know. */
type Defined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/**
 * For bodies with optional fields. (`exactOptional` would do, but the document's generator takes
 * such a field for a required one.)
 */
export function definedFields<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}
