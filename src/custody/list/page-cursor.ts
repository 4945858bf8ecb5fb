import type { Page } from './row.ts';

/**
 * Rows that consecutive pages share: this many rows may leave the list above us without a re-read.
 */
const OVERLAP_ROWS = 10;

/** Most re-reads of one page that is torn or cut, before the reading ends. */
const REREADS_MAX = 3;

/** A request for a page: 0-based `page` of `pageSize` rows. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

export type Step =
  /** The page joins the rows read before. */
  | {
      readonly kind: 'joined';
      readonly atEnd: boolean;
      /** The page is the head of the list, within a pass: earlier rows of the pass join nothing. */
      readonly restarts: boolean;
    }
  /** The page does not join, or was cut: read at the new cursor. */
  | { readonly kind: 'again' }
  | {
      readonly kind: 'give-up';
      readonly cause:
        | { readonly kind: 'unstable' }
        | { readonly kind: 'cut'; readonly detail: string }
        | { readonly kind: 'malformed'; readonly detail: string };
    };

/** Finds the next page to read, and checks whether it joins the earlier ones. */
export class PageCursor {
  #pageSizeMax: number;
  /** Rows read from the head of the list without a gap. */
  #covered = 0;
  #overlap: number;
  #rereads = 0;
  #midPass = false;
  /** The most rows ever covered: only progress past it earns new re-reads. */
  #furthest = 0;

  constructor(pageSizeMax: number) {
    this.#pageSizeMax = pageSizeMax;
    this.#overlap = overlapOf(pageSizeMax);
  }

  /**
   * The next page. Offsets exist only in whole pages, so the page size makes a page begin at the
   * wanted row or just above it: for row 990 page 1 of 990, for row 1970 page 2 of 985.
   */
  next(): PageRequest {
    const start = this.#covered - this.#overlap;
    if (start <= 0) return { page: 0, pageSize: this.#pageSizeMax };
    const page = Math.ceil(start / this.#pageSizeMax);
    return { page, pageSize: Math.floor(start / page) };
  }

  /** `joins`: the page's first row was read before. */
  take(page: Page<unknown>, joins: boolean): Step {
    const asked = this.next();
    const start = asked.page * asked.pageSize;
    const count = page.rows.length + page.unreadable.length;
    if (page.page !== asked.page) {
      const detail = `page ${page.page} was sent for page ${asked.page}`;
      return { kind: 'give-up', cause: { kind: 'malformed', detail } };
    }
    const wholeList = asked.page === 0 && count === page.total;
    if (page.pageSize !== asked.pageSize && !wholeList) return this.#resize(page, asked);
    const expected = Math.min(asked.pageSize, Math.max(0, page.total - start));
    if (count !== expected) {
      const detail = `${count} rows where ${expected} were announced`;
      return this.#again({ kind: 'cut', detail });
    }
    if (start > 0 && !joins) {
      // Further up; or from the list's new end.
      this.#covered = Math.min(this.#covered, page.total);
      this.#overlap *= 4;
      return this.#again({ kind: 'unstable' });
    }
    this.#covered = start + count;
    this.#overlap = overlapOf(this.#pageSizeMax);
    if (this.#covered > this.#furthest) {
      this.#furthest = this.#covered;
      this.#rereads = 0;
    }
    const restarts = start === 0 && this.#midPass;
    this.#midPass = true;
    return { kind: 'joined', atEnd: this.#covered >= page.total, restarts };
  }

  /** Begins another pass. */
  toHead(): void {
    this.#midPass = false;
    this.#covered = 0;
    this.#furthest = 0;
    this.#rereads = 0;
  }

  #again(cause: Extract<Step, { kind: 'give-up' }>['cause']): Step {
    this.#rereads += 1;
    return this.#rereads > REREADS_MAX ? { kind: 'give-up', cause } : { kind: 'again' };
  }

  /** The service allows smaller pages than the spec says. The size only shrinks, so this ends. */
  #resize(page: Page<unknown>, asked: PageRequest): Step {
    if (page.pageSize > asked.pageSize || page.pageSize < OVERLAP_ROWS) {
      const detail = `a page of ${page.pageSize} rows was sent for one of ${asked.pageSize}`;
      return { kind: 'give-up', cause: { kind: 'malformed', detail } };
    }
    this.#pageSizeMax = page.pageSize;
    this.#overlap = overlapOf(page.pageSize);
    return { kind: 'again' };
  }
}

function overlapOf(pageSizeMax: number): number {
  return Math.min(OVERLAP_ROWS, Math.ceil(pageSizeMax / 4));
}
