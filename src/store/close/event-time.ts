import type { EventTime } from '../../domain/close/prior-day.ts';
import type { JournalRow } from '../records.ts';

const decoder = new TextDecoder();

/** Null for anything but a time after 1970: a custody record has 0 for an unreadable time. */
function dated(at: unknown, datedBy: EventTime['datedBy']): EventTime | null {
  return typeof at === 'number' && Number.isSafeInteger(at) && at > 0 ? { at, datedBy } : null;
}

/**
 * When the event behind a fact happened, Unix milliseconds, according to its sender. The time is a
 * notification's `timestamp`, the `updatedAt` of a transaction from the custody API, or the mining
 * time in an address list. Null when the fact has none of them.
 */
export function eventTimeOf({ kind, body }: JournalRow): EventTime | null {
  if (kind !== 'notification' && kind !== 'custody-record') return null;
  const reported = JSON.parse(decoder.decode(body)) as {
    timestamp?: unknown;
    transaction?: { updatedAt?: unknown } | null;
    movement?: { minedAt?: unknown };
  };
  if (kind === 'notification') return dated(reported.timestamp, 'delivery');
  const updatedAt = reported.transaction?.updatedAt;
  return updatedAt === undefined
    ? dated(reported.movement?.minedAt, 'block')
    : dated(updatedAt, 'custody');
}
