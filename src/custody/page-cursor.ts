import type { Page } from './row.ts';

/** Rows that consecutive pages share: so many may leave the list above us before we re-read. */
const OVERLAP_ROWS = 10;

/** Re-reads of one place that come out torn or cut before the reading is given up. */
const REREADS_MAX = 3;

/** What is asked of a list: 0-based `page` of `pageSize` rows. */
export interface Place {
  readonly page: number;
  readonly pageSize: number;
}

export type Step =
  /** The page joins what was read before. */
  | {
      readonly kind: 'joined';
      readonly atEnd: boolean;
      /** It is the head again, in the middle of a pass: what the pass read so far joins nothing. */
      readonly restarts: boolean;
    }
  /** It does not, or was cut: read at the new place. */
  | { readonly kind: 'again' }
  | {
      readonly kind: 'give-up';
      readonly cause:
        | { readonly kind: 'unstable' }
        | { readonly kind: 'cut'; readonly detail: string }
        | { readonly kind: 'malformed'; readonly detail: string };
    };

/** Finds the page to read next, and judges whether it joins the ones before. */
export class PageCursor {
  #pageSizeMax: number;
  /** Rows from the head of the list that were read without a gap. */
  #covered = 0;
  #overlap: number;
  #rereads = 0;
  #midPass = false;
  /** The most rows ever covered: only going beyond it is progress that earns new re-reads. */
  #furthest = 0;

  constructor(pageSizeMax: number) {
    this.#pageSizeMax = pageSizeMax;
    this.#overlap = overlapOf(pageSizeMax);
  }

  /**
   * Offsets exist only in whole pages, so the size is chosen such that a page begins at the wanted
   * row or just above it: for row 990 page 1 of 990, for row 1970 page 2 of 985.
   */
  place(): Place {
    const start = this.#covered - this.#overlap;
    if (start <= 0) return { page: 0, pageSize: this.#pageSizeMax };
    const page = Math.ceil(start / this.#pageSizeMax);
    return { page, pageSize: Math.floor(start / page) };
  }

  /** `joins`: the page's first row was read before. */
  take(page: Page<unknown>, joins: boolean): Step {
    const asked = this.place();
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
      // Further up, and from the list's end where that has come up to us.
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

  /** The service allows smaller pages than the spec says; it shrinks, so this ends. */
  #resize(page: Page<unknown>, asked: Place): Step {
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
