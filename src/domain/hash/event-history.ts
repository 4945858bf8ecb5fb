import { byCodeUnit } from '../code-unit-order.ts';
import type { TransactionId } from '../ids.ts';
import type { Notification } from '../fact/notification.ts';

/**
 * Where an event comes from. `webhook`: a notification. `api`: the custody API, before any webhook;
 * the late webhook is another event. `correction`: the custody API, against earlier webhooks.
 */
export type EvidenceSource = 'webhook' | 'api' | 'correction';

interface EventName {
  readonly type: Notification['type'];
  readonly transactionId: TransactionId | null;
  readonly source: EvidenceSource;
}

/** An event without a count of confirmations. */
interface UncountedRun extends EventName {
  readonly from: null;
  readonly to: null;
}

/** All counts from `from` to `to`, both inclusive. */
interface CountedRun extends EventName {
  readonly from: number;
  readonly to: number;
}

/** Events of one name: a single one, or consecutive counts of confirmations. */
export type EventRun = UncountedRun | CountedRun;

/**
 * The events of one epoch, stored as runs. Each run is as long as possible. Runs are ordered by
 * type, transaction, source and count; null comes first. Equal sets are therefore equal lists,
 * in any order of arrival, and a growing depth extends one run. Serves the second layer of
 * deduplication (spec, "Delivery rules").
 */
export type EventHistory = readonly EventRun[];

export const NO_EVENTS: EventHistory = [];

function countOf(notification: Notification): number | null {
  return notification.stream === 'outgoing' ? null : notification.confirmations;
}

/** Negative when the run's name sorts before the event's; zero when both are equal. */
function compareNames(run: EventRun, event: Notification, source: EvidenceSource): number {
  return (
    byCodeUnit(run.type, event.type) ||
    byCodeUnit(run.transactionId ?? '', event.transactionId ?? '') ||
    byCodeUnit(run.source, source)
  );
}

/** Whether the run sorts before the event without touching it. */
function isBefore(run: EventRun, event: Notification, source: EvidenceSource): boolean {
  const order = compareNames(run, event, source);
  if (order !== 0) return order < 0;
  const count = countOf(event);
  if (count === null) return false;
  return run.to === null || run.to + 1 < count;
}

/**
 * The index of the run that holds the event, that the event extends, or before which it is
 * inserted.
 */
function indexOf(seen: EventHistory, event: Notification, source: EvidenceSource): number {
  let index = 0;
  for (const run of seen) {
    if (!isBefore(run, event, source)) break;
    index += 1;
  }
  return index;
}

/** A run of this event alone. */
function runOf(event: Notification, source: EvidenceSource): EventRun {
  const { type, transactionId } = event;
  const count = countOf(event);
  return count === null
    ? { type, transactionId, source, from: null, to: null }
    : { type, transactionId, source, from: count, to: count };
}

/** The history with this event added. Returns the same list when it already holds the event. */
export function addEvent(
  seen: EventHistory,
  event: Notification,
  source: EvidenceSource,
): EventHistory {
  const index = indexOf(seen, event, source);
  const run = seen[index];
  if (run === undefined || compareNames(run, event, source) !== 0) {
    return seen.toSpliced(index, 0, runOf(event, source));
  }
  const count = countOf(event);
  if (count === null || run.from === null) {
    return run.from === count ? seen : seen.toSpliced(index, 0, runOf(event, source));
  }
  if (count > run.to) {
    const next = seen[index + 1];
    return next?.from === count + 1 && compareNames(next, event, source) === 0
      ? seen.toSpliced(index, 2, { ...run, to: next.to })
      : seen.with(index, { ...run, to: count });
  }
  if (count >= run.from) return seen;
  return count + 1 === run.from
    ? seen.with(index, { ...run, from: count })
    : seen.toSpliced(index, 0, runOf(event, source));
}

/** Whether the history holds this event, with the same source and count. */
export function includesEvent(
  seen: EventHistory,
  event: Notification,
  source: EvidenceSource,
): boolean {
  const count = countOf(event);
  return seen.some(
    (run) =>
      compareNames(run, event, source) === 0 &&
      (count === null || run.from === null
        ? run.from === count
        : run.from <= count && count <= run.to),
  );
}

/** The highest count of any confirmation, from any source; null when no event has a count. */
export function deepestConfirmation(seen: EventHistory): number | null {
  let deepest: number | null = null;
  for (const { type, to } of seen) {
    if (type === 'confirmation' && to !== null && (deepest === null || to > deepest)) deepest = to;
  }
  return deepest;
}
