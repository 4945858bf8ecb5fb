import { accessAdvice } from '../../custody/access.ts';
import type { UnavailableCause } from '../../custody/call/outcome.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { Priority } from '../../custody/budget/lane.ts';
import type { PageRequest } from '../../custody/list/page-cursor.ts';
import type { IncompleteCause } from '../../custody/list/pages.ts';
import { readList } from '../../custody/list/pages.ts';
import type { UnreadableRow } from '../../custody/list/row.ts';
import type { SkipCause } from '../../domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { timeOf } from '../../translation/time.ts';
import { transactionOf } from '../../translation/transaction.ts';
import type { ErrorRecord } from '../../wire/error.ts';
import type { TransactionRecord } from '../../wire/transaction.ts';

/** Most pages held and compared at once. Longer lists are read in parts. */
const REQUESTS_MAX = 20;

/** The result of reading the transactions list. */
export interface CustodyList {
  readonly transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  /** Every row that the reading showed; `transactions` may lack those that were compared before. */
  readonly shown: ReadonlyMap<TransactionId, CustodyTransaction>;
  readonly requests: number;
  /**
   * Number of rows that this version cannot parse. They do not count as absent; of own transactions,
   * `transactions` has their hash.
   */
  readonly unreadable: number;
  /** Newest `updatedAt`, Unix milliseconds; null when the list is empty. */
  readonly newest: number | null;
  /** Why rows are missing; null when the list is complete. */
  readonly incomplete: {
    readonly cause: SkipCause;
    readonly detail: string;
    /** The list is too long for one run and must be read in parts. */
    readonly isTooLong: boolean;
  } | null;
}

/** The skip cause of a failed reading: the request budget or the API. */
export function skipCauseOf(cause: IncompleteCause): SkipCause {
  return cause.kind === 'rate-budget' ? 'rate_budget' : 'api_unavailable';
}

/** Why a list is incomplete, as a text for reports and logs. */
export function describeCause(cause: IncompleteCause): string {
  switch (cause.kind) {
    case 'unavailable':
      return unavailableText(cause.cause);
    case 'rate-budget':
      return `the request budget is used up until ${new Date(cause.retryAtMs).toISOString()}`;
    case 'refused':
      return refusalText(cause.error);
    case 'malformed':
      return `the custody API's answer was not understood: ${cause.detail}`;
    case 'not-found':
      return 'the custody API has no transactions list (404): check custody.baseUrl';
    case 'cut':
      return `pages of the list were cut off: ${cause.detail}`;
    case 'unstable':
      return 'the list moved faster than it could be read';
    case 'too-long':
      return `the list did not end within ${cause.requests} requests`;
    default:
      return cause satisfies never;
  }
}

/** Says whether the custody API failed or was not asked: an operator looks at one or at the other. */
function unavailableText(cause: UnavailableCause): string {
  switch (cause.kind) {
    case 'connection':
      return `the custody API cannot be reached (${cause.detail})`;
    case 'server-error':
      return `the custody API answers ${cause.status}`;
    case 'timeout':
      return `the custody API did not answer within ${cause.timeoutMs / 1_000} s`;
    case 'deadline':
      return 'the custody API did not answer in time';
    case 'circuit-open':
      return `the custody API failed several times: the next try is at ${new Date(cause.retryAtMs).toISOString()}`;
    case 'unrecorded':
      return `the custody API was not asked, because the request could not be counted (${cause.detail})`;
    default:
      return cause satisfies never;
  }
}

function refusalText({ statusCode, errorCode, errorMessage }: ErrorRecord): string {
  const advice = accessAdvice(statusCode);
  const said = `the custody API refused the list (${statusCode}): ${errorCode} ${errorMessage}`;
  return advice === null ? said : `${said}. ${advice}`;
}

/**
 * Whether the list exceeded the reading's pages, time or budget. A second attempt would end at the
 * same point.
 */
function isTooLong(cause: IncompleteCause, requests: number): boolean {
  if (cause.kind === 'too-long') return true;
  const isOver =
    cause.kind === 'rate-budget' ||
    (cause.kind === 'unavailable' && cause.cause.kind === 'deadline');
  return isOver && requests > 1;
}

/** What unreadable rows say of own transactions' hashes. */
export function partsOf(
  unreadable: readonly UnreadableRow<TransactionRecord>[],
): TransactionRecord[] {
  return unreadable.flatMap(({ part }) => part ?? []);
}

/** Reading order of the transactions list: newest `updatedAt` first, down to `floor`. */
export function newestFirst(floor: number) {
  return {
    idOf: (row: TransactionRecord) => row.transactionId,
    versionOf: (row: TransactionRecord) => row.updatedAt,
    isPastEnd: (row: TransactionRecord) => {
      const updatedAt = timeOf(row.updatedAt);
      return updatedAt !== null && updatedAt < floor;
    },
    newestFirst: true,
  };
}

/**
 * Like `newestFirst`, but the list also ends at a row that was read before and is not newer than
 * `since`.
 */
function newestFirstTo(
  floor: number,
  since: number | null,
  isKnown: (row: CustodyTransaction) => boolean,
) {
  const isPastEnd = (row: TransactionRecord): boolean => {
    const updatedAt = timeOf(row.updatedAt);
    if (updatedAt === null) return false;
    if (updatedAt < floor) return true;
    return since !== null && updatedAt <= since && isKnown(transactionOf(row));
  };
  return { ...newestFirst(floor), isPastEnd, includesPastEnd: true };
}

/**
 * Reads all transactions that changed since `since` (the service's clock, Unix milliseconds),
 * newest first (spec, "Other endpoints referenced"). Reads both types, so that own outgoing hashes
 * are known before a deposit is verified.
 */
export async function readCustodyList(
  client: CustodyClient,
  reading: {
    since: number | null;
    /** The journal position when the reading began. */
    askedAfter: number;
    overlapMs: number;
    priority: Priority;
    deadlineMs: number;
    type?: 'outgoing';
    /** Most pages to read; default: as many as a run compares. */
    requestsMax?: number;
    /**
     * Whether this version of a row was read before. The first page that ends with such a row from
     * before `since` is the last page; all its rows are returned.
     */
    isKnown?: (row: CustodyTransaction) => boolean;
    /** Priority of further pages; default: the priority of the first page. */
    continuation?: Priority;
  },
): Promise<CustodyList> {
  const { since, askedAfter, overlapMs, deadlineMs, type, isKnown } = reading;
  const { requestsMax = REQUESTS_MAX } = reading;
  const floor = since === null ? Number.NEGATIVE_INFINITY : since - overlapMs;
  let { priority } = reading;
  const read = (at: PageRequest) => {
    const answer = client.transactions({ ...at, ...query }, { priority, deadlineMs });
    priority = reading.continuation ?? priority;
    return answer;
  };
  const query = { sort: 'updatedAt:desc', ...(type === undefined ? {} : { type }) } as const;
  const list = await readList<TransactionRecord>({
    ...(isKnown === undefined ? newestFirst(floor) : newestFirstTo(floor, since, isKnown)),
    read,
    requestsMax,
  });
  const transactions = new Map<TransactionId, CustodyTransaction>();
  let newest: number | null = null;
  for (const row of [...partsOf(list.unreadable), ...list.rows.values()]) {
    const transaction = { ...transactionOf(row), askedAfter };
    transactions.set(transaction.transactionId, transaction);
    newest = Math.max(newest ?? transaction.updatedAt, transaction.updatedAt);
  }
  const incomplete =
    list.kind === 'incomplete'
      ? {
          cause: skipCauseOf(list.cause),
          detail: describeCause(list.cause),
          isTooLong: isTooLong(list.cause, list.requests),
        }
      : null;
  const unreadable = list.unreadable.length;
  const { requests } = list;
  return { transactions, shown: transactions, requests, unreadable, newest, incomplete };
}
