import type { Page, PageRequest } from './reads.ts';

/** Cuts one page out of a list that the store can only read as a whole. */
export function pageWithin<Item>(items: readonly Item[], request: PageRequest): Page<Item> {
  const { page, pageSize } = request;
  const from = page * pageSize;
  return { items: items.slice(from, from + pageSize), total: items.length, page, pageSize };
}
