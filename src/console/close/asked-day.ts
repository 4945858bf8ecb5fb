import { linkTo, pageOf } from '../../pages/parts/list/link.ts';
import { CLOSE_PATH } from './calendar.tsx';

/** The lists of a day's page that have pages of their own, as its address names them. */
const PAGED_LISTS = ['differences', 'prior', 'transit', 'unconfirmed', 'breaks'] as const;
export type PagedList = (typeof PAGED_LISTS)[number];

/** Items on a page of each of these lists. */
export const LIST_PAGE_SIZE = 50;

/** What the address of a day's page asks for. */
export interface AskedDay {
  readonly day: string;
  /** The asset that is drawn alone. */
  readonly asset: string | undefined;
  /** The 0-based page of each list. */
  readonly pages: Readonly<Record<PagedList, number>>;
}

/** Reads the address of a day's page. A list that the query names without a number is on its first page. */
export function askedDay(day: string, query: Readonly<Record<string, string>>): AskedDay {
  const pages = PAGED_LISTS.map((list) => [list, pageOf(query[list])] as const);
  return {
    day,
    asset: query['asset'],
    pages: Object.fromEntries(pages) as Record<PagedList, number>,
  };
}

/** The link to a page of one list, which leaves everything else on the day's page as it is. */
export function listLink({ day, asset, pages }: AskedDay, list: PagedList, page: number): string {
  const others = Object.entries({ ...pages, [list]: page }).filter(([, shown]) => shown > 0);
  return linkTo(`${CLOSE_PATH}/${day}`, { asset, ...Object.fromEntries(others) });
}
