import { z } from '@hono/zod-openapi';
import type { Page } from '../store/page.ts';
import { nameText, tooLong } from './formats.ts';

const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1000;
/** Keeps `page × pageSize` an exact integer. */
const PAGE_MAX = 1_000_000_000;
const NAME_CHARACTERS_MAX = 512;

/**
 * A whole number in a query. Digits only: `1e3`, ` 7` or an empty value are mistakes that coercion
 * would hide.
 */
export function wholeNumber(bounds: { min: number; max: number; default: number }) {
  const { min, max } = bounds;
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, message)
    .default(String(bounds.default))
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .openapi({ type: 'integer', minimum: min, maximum: max, default: bounds.default });
}

/** The paging parameters of every list; `page` is 0-based. */
export const pageQuery = {
  page: wholeNumber({ min: 0, max: PAGE_MAX, default: 0 }),
  pageSize: wholeNumber({ min: 1, max: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT }),
};

/** A filter by an identifier, compared byte by byte. An empty one is a mistake of the caller. */
export function filter() {
  const isEmpty = 'must not be empty: give a value, or leave it out';
  return z
    .string()
    .min(1, isEmpty)
    .max(NAME_CHARACTERS_MAX, tooLong(NAME_CHARACTERS_MAX))
    .optional();
}

/** A filter by an optional part of a position: an empty value selects positions without it. */
export function partFilter() {
  return z
    .string()
    .max(NAME_CHARACTERS_MAX, tooLong(NAME_CHARACTERS_MAX))
    .optional()
    .openapi({ description: 'An empty value selects positions without this part.' });
}

/** The query of calls without parameters: an unknown parameter is a mistake. */
export const noQuery = z.strictObject({});

export const idParams = z.strictObject({ id: nameText(NAME_CHARACTERS_MAX) });

/** The envelope of every list: `{data, pagination}`. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    pagination: z
      .object({ page: z.int(), pageSize: z.int(), total: z.int() })
      .openapi('Pagination'),
  });
}

/** The answer of a list: `{data, pagination}`. */
export function listAnswer<Item, Shown>(page: Page<Item>, show: (item: Item) => Shown) {
  return {
    data: page.items.map((item) => show(item)),
    pagination: { page: page.page, pageSize: page.pageSize, total: page.total },
  };
}

type Given<Query> = { [Key in keyof Query]: Exclude<Query[Key], undefined> };

/** The query without omitted parameters. */
export function given<Query extends object>(query: Query): Given<Query> {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined),
  ) as Given<Query>;
}
