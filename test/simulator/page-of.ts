import { z } from 'zod';
import { pagination } from '../../src/wire/page.ts';

/** The envelope of every list answer: `{data, pagination}`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.looseObject({ data: z.array(item), pagination });
}
