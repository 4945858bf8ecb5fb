import { PAGE_SIZE_MAX } from '../wire/page.ts';
import type { Failure, Outcome } from './outcome.ts';
import { PageCursor } from './page-cursor.ts';
import type { Place } from './page-cursor.ts';
import type { Page, UnreadableRow } from './row.ts';
import { SeenRows } from './seen-rows.ts';

/** Times the head is read again to join it to what is known, before the list counts as too busy. */
const HEAD_READS_MAX = 3;

/** A reading takes no more requests than this where it does not say otherwise. */
const REQUESTS_MAX = 100;

export interface ListReading<Row> {
  /** Reads one page: 0-based, of at most `pageSize` rows. */
  readonly read: (at: Place) => Promise<Outcome<Page<Row>>>;
  /** Never changes while a row lives. */
  readonly idOf: (row: Row) => string;
  /** Changes when the row moves, e.g. `updatedAt`: a known id with a new one is told again. */
  readonly versionOf?: (row: Row) => string;
  /** True from the first row that the caller does not want, e.g. older than a watermark. */
  readonly isPastEnd?: (row: Row) => boolean;
  /**
   * The list is sorted so that a changed row moves to its head (`updatedAt:desc`): a row that
   * moves there while we read further down is found by reading the head again.
   */
  readonly newestFirst: boolean;
  /** Rows per request at most; 1,000 where absent. */
  readonly pageSizeMax?: number;
  /** Requests after which the reading is given up as too long; 100, a tenth of an hour's, where absent. */
  readonly requestsMax?: number;
}

/** Why a list was not read to its end. */
export type IncompleteCause =
  | Failure
  /** HTTP 404 for the list itself. */
  | { readonly kind: 'not-found' }
  /** Pages held fewer rows than they announced, again and again. */
  | { readonly kind: 'cut'; readonly detail: string }
  /** The list moved faster than it could be read. */
  | { readonly kind: 'unstable' }
  | { readonly kind: 'too-long'; readonly requests: number };

export type PageEvent<Row> =
  /** Rows that were not told before, in the list's order. */
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      readonly unreadable: readonly UnreadableRow[];
    }
  /** The last event: every row that was in the list all the while has been told. */
  | { readonly kind: 'complete'; readonly requests: number }
  /** The last event: rows are missing, and nothing follows from an id that was not told. */
  | { readonly kind: 'incomplete'; readonly cause: IncompleteCause; readonly requests: number };

/**
 * Reads a list of offsets that moves while it is read. Rows that are inserted above push others
 * down, to be seen twice; rows that leave pull others up, past the edge of a page and out of
 * sight. So each page begins a little before the end of the last one, and counts only if it begins
 * with a row already known; if not, it is read again from further up. A list that took several
 * requests and is sorted newest first then has its head read once more: what moved there meanwhile
 * is on that page, and everything below it is known.
 *
 * The end is an event like any other, so that no loop over the rows can take a failed page for the
 * end of the list.
 */
export async function* readPages<Row>(
  reading: ListReading<Row>,
): AsyncGenerator<PageEvent<Row>, void, undefined> {
  const seen = new SeenRows(reading);
  const cursor = new PageCursor(reading.pageSizeMax ?? PAGE_SIZE_MAX);
  let headReads = 0;
  let requestsOfPass = 0;
  const requestsMax = reading.requestsMax ?? REQUESTS_MAX;
  for (let requests = 1; requests <= requestsMax; requests += 1) {
    const answer = await reading.read(cursor.place());
    if (answer.kind !== 'ok') {
      yield { kind: 'incomplete', cause: answer, requests };
      return;
    }
    requestsOfPass += 1;
    const page = answer.value;
    const step = cursor.take(page, seen.joins(page));
    if (step.kind === 'give-up') {
      yield { kind: 'incomplete', cause: step.cause, requests };
      return;
    }
    if (step.kind === 'joined' && step.restarts) {
      seen.restartPass();
      requestsOfPass = 1;
    }
    // The rows of a torn page are as true as any: only its seam proves nothing.
    const news = seen.add(page, step.kind === 'joined');
    if (news.rows.length > 0 || news.unreadable.length > 0) {
      yield { kind: 'rows', rows: news.rows, unreadable: news.unreadable };
    }
    if (step.kind === 'again') continue;
    const endOfPass = step.atEnd || news.pastEnd || (headReads > 0 && news.meetsKnown);
    if (!endOfPass) continue;
    // One request is one moment of the list: nothing can have moved in between.
    if (!reading.newestFirst || requestsOfPass === 1) {
      yield { kind: 'complete', requests };
      return;
    }
    if (headReads === HEAD_READS_MAX) {
      yield { kind: 'incomplete', cause: { kind: 'unstable' }, requests };
      return;
    }
    headReads += 1;
    requestsOfPass = 0;
    cursor.toHead();
    seen.endPass();
  }
  yield {
    kind: 'incomplete',
    cause: { kind: 'too-long', requests: requestsMax },
    requests: requestsMax,
  };
}

/** A list read into memory; each row as it was told last. */
export type ListRead<Row> = {
  readonly rows: ReadonlyMap<string, Row>;
  readonly unreadable: readonly UnreadableRow[];
  readonly requests: number;
} & (
  | { readonly kind: 'complete' }
  /** `rows` are true, but others are missing. */
  | { readonly kind: 'incomplete'; readonly cause: IncompleteCause }
);

/** Reads a whole list into memory, at most 100 pages of it. */
export async function readList<Row>(reading: ListReading<Row>): Promise<ListRead<Row>> {
  const rows = new Map<string, Row>();
  const unreadable: UnreadableRow[] = [];
  for await (const event of readPages(reading)) {
    switch (event.kind) {
      case 'rows':
        for (const row of event.rows) rows.set(reading.idOf(row), row);
        unreadable.push(...event.unreadable);
        break;
      case 'complete':
        return { kind: 'complete', rows, unreadable, requests: event.requests };
      case 'incomplete':
        return { ...event, rows, unreadable };
      default:
        event satisfies never;
    }
  }
  throw new Error('a reading of pages ended without saying how');
}
