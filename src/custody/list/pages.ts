import { PAGE_SIZE_MAX } from '../../wire/page.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import { PageCursor } from './page-cursor.ts';
import type { PageRequest } from './page-cursor.ts';
import type { Page, UnreadableRow } from './row.ts';
import { SeenRows } from './seen-rows.ts';

/** Most re-reads of the head before the list counts as moving too fast. */
const HEAD_READS_MAX = 3;

/** Most requests of a reading by default. */
const REQUESTS_MAX = 100;

export interface ListReading<Row> {
  /** Reads one page: 0-based, with at most `pageSize` rows. */
  readonly read: (at: PageRequest) => Promise<Outcome<Page<Row>>>;
  /** The row's id, which never changes. */
  readonly idOf: (row: Row) => string;
  /** Changes when the row changes, for example `updatedAt`: the new version is reported again. */
  readonly versionOf?: (row: Row) => string;
  /** True from the first unwanted row on, for example one older than a watermark. */
  readonly isPastEnd?: (row: Row) => boolean;
  /** Report also the rows past the end that a page holds. */
  readonly includesPastEnd?: boolean;
  /**
   * The list is sorted so that a changed row moves to its head (`updatedAt:desc`). Reading the head
   * again finds rows that moved there meanwhile.
   */
  readonly newestFirst: boolean;
  /** Most rows per request; 1,000 by default. */
  readonly pageSizeMax?: number;
  /** Most requests of the reading; 100 by default, a tenth of the hourly limit. */
  readonly requestsMax?: number;
}

/** Why a list was not read completely. */
export type IncompleteCause =
  | Failure
  /** HTTP 404 for the list itself. */
  | { readonly kind: 'not-found' }
  /** Pages repeatedly held fewer rows than announced. */
  | { readonly kind: 'cut'; readonly detail: string }
  /** The list moved faster than it could be read. */
  | { readonly kind: 'unstable' }
  | { readonly kind: 'too-long'; readonly requests: number };

export type PageEvent<Row> =
  /** New rows, in the list's order. */
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      readonly unreadable: readonly UnreadableRow<Row>[];
    }
  /** The last event: every row that stayed in the list was reported. */
  | { readonly kind: 'complete'; readonly requests: number }
  /** The last event: rows are missing, so an absent id proves nothing. */
  | { readonly kind: 'incomplete'; readonly cause: IncompleteCause; readonly requests: number };

/**
 * Reads a moving list by offsets (spec, "Pagination envelope"). Rows inserted above push others
 * down, to be seen twice. Rows that leave pull others up, across a page edge and out of sight. So
 * each page begins a little before the end of the last one. It counts only when it begins with a
 * known row; otherwise it is read again from further up. After several requests of a list sorted
 * newest first, the head is read once more for rows that moved there.
 *
 * The end is an event too, so no caller mistakes a failed page for the end of the list.
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
    const answer = await reading.read(cursor.next());
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
    // The rows of a torn page are valid; only its seam proves nothing.
    const news = seen.add(page, step.kind === 'joined');
    if (news.rows.length > 0 || news.unreadable.length > 0) {
      yield { kind: 'rows', rows: news.rows, unreadable: news.unreadable };
    }
    if (step.kind === 'again') continue;
    const endOfPass = step.atEnd || news.pastEnd || (headReads > 0 && news.meetsKnown);
    if (!endOfPass) continue;
    // One request reads one moment of the list: nothing moved in between.
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

/** A list read into memory, with each row's latest version. */
export type ListRead<Row> = {
  readonly rows: ReadonlyMap<string, Row>;
  readonly unreadable: readonly UnreadableRow<Row>[];
  readonly requests: number;
} & (
  | { readonly kind: 'complete' }
  /** `rows` are valid, but others are missing. */
  | { readonly kind: 'incomplete'; readonly cause: IncompleteCause }
);

/**
 * Reads a whole list into memory, at most 100 pages. An `incomplete` list misses rows, so an absent
 * id proves nothing. Failures of the API are a result; the promise is never rejected for one.
 */
export async function readList<Row>(reading: ListReading<Row>): Promise<ListRead<Row>> {
  const rows = new Map<string, Row>();
  const unreadable: UnreadableRow<Row>[] = [];
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
