import type { EventTime } from '../domain/close-prior.ts';
import type { JournalRow } from './records.ts';

const decoder = new TextDecoder();

/** An unreadable time of the API counts as the epoch in its record: it says nothing. */
function dated(at: unknown, datedBy: EventTime['datedBy']): EventTime | null {
  return typeof at === 'number' && Number.isSafeInteger(at) && at > 0 ? { at, datedBy } : null;
}

/**
 * When the event behind a fact happened, as its sender says: a notification's `timestamp`, the
 * `updatedAt` of a transaction taken from the custody API, or when an address's list says that it was
 * mined. Null where nobody says.
 */
export function eventTimeOf({ kind, body }: JournalRow): EventTime | null {
  if (kind !== 'notification' && kind !== 'custody-record') return null;
  const told = JSON.parse(decoder.decode(body)) as {
    timestamp?: unknown;
    transaction?: { updatedAt?: unknown } | null;
    movement?: { minedAt?: unknown };
  };
  if (kind === 'notification') return dated(told.timestamp, 'delivery');
  const updatedAt = told.transaction?.updatedAt;
  return updatedAt === undefined
    ? dated(told.movement?.minedAt, 'block')
    : dated(updatedAt, 'custody');
}
