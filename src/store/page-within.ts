import type { Page, PageRequest } from './reads.ts';

/** One page of a list that can only be read as a whole. */
export function pageWithin<Item>(items: readonly Item[], request: PageRequest): Page<Item> {
  const { page, pageSize } = request;
  const from = page * pageSize;
  return { items: items.slice(from, from + pageSize), total: items.length, page, pageSize };
}
