import { accessAdvice } from '../custody/access.ts';
import type { CustodyClient } from '../custody/client.ts';
import type { Priority } from '../custody/budget/lane.ts';
import type { IncompleteCause } from '../custody/pages.ts';
import { readList } from '../custody/pages.ts';
import type { SkipCause } from '../domain/compare.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { TransactionId } from '../domain/ids.ts';
import { transactionOf } from '../translation/transaction.ts';
import type { ErrorRecord } from '../wire/error.ts';
import type { TransactionRecord } from '../wire/transaction.ts';

/** A list of more pages than this is read by parts: so many rows are held and compared at once. */
const REQUESTS_MAX = 20;

/** What a reading of the transactions list brought. */
export interface CustodyList {
  readonly transactions: ReadonlyMap<TransactionId, CustodyTransaction>;
  readonly requests: number;
  /** Rows that this version does not understand; never taken for absent ones. */
  readonly unreadable: number;
  /** Newest `updatedAt` seen; null when the list is empty. */
  readonly newest: number | null;
  /** Why rows are missing, or null when none is. */
  readonly incomplete: {
    readonly cause: SkipCause;
    readonly detail: string;
    /** It is too long for one run: it must be read by parts. */
    readonly isTooLong: boolean;
  } | null;
}

/** How a failed reading counts: whether the budget or the API itself was in the way. */
export function skipCauseOf(cause: IncompleteCause): SkipCause {
  return cause.kind === 'rate-budget' ? 'rate_budget' : 'api_unavailable';
}

export function describeCause(cause: IncompleteCause): string {
  switch (cause.kind) {
    case 'unavailable':
      return `the custody API is unavailable (${cause.cause.kind})`;
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

function refusalText({ statusCode, errorCode, errorMessage }: ErrorRecord): string {
  const advice = accessAdvice(statusCode);
  const said = `the custody API refused the list (${statusCode}): ${errorCode} ${errorMessage}`;
  return advice === null ? said : `${said}. ${advice}`;
}

/**
 * Whether the list was longer than the reading could be: its pages, its time or its budget ended while
 * it was read. Begun anew it would end there again.
 */
function isTooLong(cause: IncompleteCause, requests: number): boolean {
  if (cause.kind === 'too-long') return true;
  const isOver =
    cause.kind === 'rate-budget' ||
    (cause.kind === 'unavailable' && cause.cause.kind === 'deadline');
  return isOver && requests > 1;
}

/** How the transactions list is read: the rows that changed last first, down to a time. */
export function newestFirst(floor: number) {
  return {
    idOf: (row: TransactionRecord) => row.transactionId,
    versionOf: (row: TransactionRecord) => row.updatedAt,
    isPastEnd: (row: TransactionRecord) => Date.parse(row.updatedAt) < floor,
    newestFirst: true,
  };
}

/**
 * Reads what changed in the custody API since `since` (its own clock), newest first: every
 * transaction of both types, so that own outgoing hashes are known before a deposit is verified.
 */
export async function readCustodyList(
  client: CustodyClient,
  reading: {
    since: number | null;
    overlapMs: number;
    priority: Priority;
    deadlineMs: number;
    type?: 'outgoing';
    /** Pages that are read at most; as many as a run compares where absent. */
    requestsMax?: number;
  },
): Promise<CustodyList> {
  const { since, overlapMs, priority, deadlineMs, type, requestsMax = REQUESTS_MAX } = reading;
  const floor = since === null ? Number.NEGATIVE_INFINITY : since - overlapMs;
  const query = { sort: 'updatedAt:desc', ...(type === undefined ? {} : { type }) } as const;
  const list = await readList<TransactionRecord>({
    ...newestFirst(floor),
    read: (at) => client.transactions({ ...at, ...query }, { priority, deadlineMs }),
    requestsMax,
  });
  const transactions = new Map<TransactionId, CustodyTransaction>();
  let newest: number | null = null;
  for (const row of list.rows.values()) {
    const transaction = transactionOf(row);
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
  return { transactions, requests: list.requests, unreadable, newest, incomplete };
}
