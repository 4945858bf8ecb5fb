import type { JournalRow } from './records.ts';

const decoder = new TextDecoder();

/**
 * When the event behind a fact happened, as its sender says: a notification's `timestamp`, the
 * `updatedAt` of a transaction taken from the custody API, or when an address's list says that it was
 * mined. Null where nobody says.
 */
export function eventTimeOf({ kind, body }: JournalRow): number | null {
  if (kind !== 'notification' && kind !== 'custody-record') return null;
  const told = JSON.parse(decoder.decode(body)) as {
    timestamp?: unknown;
    transaction?: { updatedAt?: unknown } | null;
    movement?: { minedAt?: unknown };
  };
  const recorded = told.transaction?.updatedAt ?? told.movement?.minedAt;
  const at = kind === 'notification' ? told.timestamp : recorded;
  // An unreadable time of the API counts as the epoch there: it says nothing.
  return typeof at === 'number' && Number.isSafeInteger(at) && at > 0 ? at : null;
}
