import type { TransactionId } from './ids.ts';
import type { Notification } from './notification.ts';

/**
 * Who told of an event. `api`: the custody API, where no webhook did; the webhook that comes after
 * all is another event. `correction`: the custody API, against what webhooks had told.
 */
export type Teller = 'webhook' | 'api' | 'correction';

interface EventName {
  readonly type: Notification['type'];
  readonly transactionId: TransactionId | null;
  readonly toldBy: Teller;
}

/** An event that has no count of confirmations. */
interface UncountedRun extends EventName {
  readonly from: null;
  readonly to: null;
}

/** Every count from `from` to `to`, both inclusive. */
interface CountedRun extends EventName {
  readonly from: number;
  readonly to: number;
}

/** Events of one name: alone, or with consecutive counts of confirmations. */
export type EventRun = UncountedRun | CountedRun;

/**
 * A set of events as runs: each as long as it can be, ordered by type, transaction (those without
 * one first), teller and count (the event without one first). So equal sets are equal lists,
 * whatever the order of arrival, and a deposit that goes ever deeper stays one run.
 */
export type SeenEvents = readonly EventRun[];

export const NOTHING_SEEN: SeenEvents = [];

function countOf(notification: Notification): number | null {
  return notification.stream === 'outgoing' ? null : notification.confirmations;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Negative when the run's name comes before the event's, zero when they are the same. */
function compareNames(run: EventRun, event: Notification, toldBy: Teller): number {
  return (
    compareTexts(run.type, event.type) ||
    compareTexts(run.transactionId ?? '', event.transactionId ?? '') ||
    compareTexts(run.toldBy, toldBy)
  );
}

/** Whether the run comes before the event and does not touch it. */
function isBefore(run: EventRun, event: Notification, toldBy: Teller): boolean {
  const order = compareNames(run, event, toldBy);
  if (order !== 0) return order < 0;
  const count = countOf(event);
  if (count === null) return false;
  return run.to === null || run.to + 1 < count;
}

/** Where the event is, is to be joined, or is to be put. */
function placeOf(seen: SeenEvents, event: Notification, toldBy: Teller): number {
  let place = 0;
  for (const run of seen) {
    if (!isBefore(run, event, toldBy)) break;
    place += 1;
  }
  return place;
}

/** The event alone; it has not been seen. */
function runOf(event: Notification, toldBy: Teller): EventRun {
  const { type, transactionId } = event;
  const count = countOf(event);
  return count === null
    ? { type, transactionId, toldBy, from: null, to: null }
    : { type, transactionId, toldBy, from: count, to: count };
}

/** Without a spread, which takes ten times as long, and nearly every notification extends a run. */
function resized(run: EventRun, from: number, to: number): EventRun {
  const { type, transactionId, toldBy } = run;
  return { type, transactionId, toldBy, from, to };
}

/** The same list when the event is in it already. */
export function addEvent(seen: SeenEvents, event: Notification, toldBy: Teller): SeenEvents {
  const place = placeOf(seen, event, toldBy);
  const run = seen[place];
  if (run === undefined || compareNames(run, event, toldBy) !== 0) {
    return seen.toSpliced(place, 0, runOf(event, toldBy));
  }
  const count = countOf(event);
  if (count === null || run.from === null) {
    return run.from === count ? seen : seen.toSpliced(place, 0, runOf(event, toldBy));
  }
  if (count > run.to) {
    const next = seen[place + 1];
    return next?.from === count + 1 && compareNames(next, event, toldBy) === 0
      ? seen.toSpliced(place, 2, resized(run, run.from, next.to))
      : seen.with(place, resized(run, run.from, count));
  }
  if (count >= run.from) return seen;
  return count + 1 === run.from
    ? seen.with(place, resized(run, count, run.to))
    : seen.toSpliced(place, 0, runOf(event, toldBy));
}

export function includesEvent(seen: SeenEvents, event: Notification, toldBy: Teller): boolean {
  const count = countOf(event);
  return seen.some(
    (run) =>
      compareNames(run, event, toldBy) === 0 &&
      (count === null || run.from === null
        ? run.from === count
        : run.from <= count && count <= run.to),
  );
}

/** The highest count of any confirmation, whoever told of it; null when none had a count. */
export function deepestConfirmation(seen: SeenEvents): number | null {
  let deepest: number | null = null;
  for (const { type, to } of seen) {
    if (type === 'confirmation' && to !== null && (deepest === null || to > deepest)) deepest = to;
  }
  return deepest;
}
