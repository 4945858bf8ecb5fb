/** A page of a list: `page` is 0-based. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** One page of a list. `total`: number of items on all pages. */
export interface Page<Item> extends PageRequest {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Cuts one page out of a list that the store can only read as a whole. */
export function pageWithin<Item>(items: readonly Item[], request: PageRequest): Page<Item> {
  const { page, pageSize } = request;
  const from = page * pageSize;
  return { items: items.slice(from, from + pageSize), total: items.length, page, pageSize };
}
