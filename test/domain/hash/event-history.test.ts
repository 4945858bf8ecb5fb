import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotificationId, TransactionId } from '../../../src/domain/ids.ts';
import type { ChainNotification } from '../../../src/domain/fact/notification.ts';
import {
  addEvent,
  deepestConfirmation,
  includesEvent,
  NO_EVENTS,
  type EventRun,
  type EventHistory,
  type EvidenceSource,
} from '../../../src/domain/hash/event-history.ts';
import { runs } from './event-runs.ts';
import { DUE, outgoing } from '../records.ts';

const { network, blockchainHash, vaultId } = DUE;
const MAX = Number.MAX_SAFE_INTEGER;

interface SeenEvent {
  readonly type: 'mempool' | 'transaction' | 'confirmation';
  readonly id: string | null;
  readonly count: number | null;
  readonly source: EvidenceSource;
}

function notified({ type, id, count }: SeenEvent): ChainNotification {
  const transactionId = id === null ? null : TransactionId(id);
  const about = { network, blockchainHash, vaultId, id: NotificationId('n1'), changes: null };
  return { ...about, stream: 'blockchain', type, transactionId, confirmations: count };
}

function add(seen: EventHistory, ...all: SeenEvent[]): EventHistory {
  return all.reduce((so, seenEvent) => addEvent(so, notified(seenEvent), seenEvent.source), seen);
}

function confirmation(count: number | null): SeenEvent {
  return { type: 'confirmation', id: 'tx', count, source: 'webhook' };
}

describe('an event joins what was seen', () => {
  const ADDED: [what: string, seen: string[], count: number | null, after: string[]][] = [
    ['the first of all', [], 3, ['confirmation:3:tx']],
    ['the next count', ['confirmation:1-7:tx'], 8, ['confirmation:1-8:tx']],
    ['the count before', ['confirmation:2-7:tx'], 1, ['confirmation:1-7:tx']],
    ['none at all', ['confirmation:0:tx'], null, ['confirmation::tx', 'confirmation:0:tx']],
    ['zero, after none', ['confirmation::tx'], 0, ['confirmation::tx', 'confirmation:0:tx']],
    ['past a gap', ['confirmation:1-2:tx'], 4, ['confirmation:1-2:tx', 'confirmation:4:tx']],
    ['before a gap', ['confirmation:6:tx'], 4, ['confirmation:4:tx', 'confirmation:6:tx']],
    [
      'the gap itself',
      ['confirmation:1-2:tx', 'confirmation:4-5:tx', 'confirmation:7:tx'],
      3,
      ['confirmation:1-5:tx', 'confirmation:7:tx'],
    ],
    [
      'a part of a gap',
      ['confirmation:1-2:tx', 'confirmation:5:tx'],
      3,
      ['confirmation:1-3:tx', 'confirmation:5:tx'],
    ],
    [
      'beside runs of other names',
      ['confirmation:4:', 'api/confirmation:4:tx', 'confirmation:2:tx', 'confirmation:4:tx2'],
      3,
      ['confirmation:4:', 'api/confirmation:4:tx', 'confirmation:2-3:tx', 'confirmation:4:tx2'],
    ],
    [
      'what the name after it goes on with',
      ['confirmation:2:tx', 'confirmation:4:tx2'],
      3,
      ['confirmation:2-3:tx', 'confirmation:4:tx2'],
    ],
    [
      'among other names alone',
      ['api/confirmation:3:tx', 'confirmation:3:tx2', 'mempool:3:tx'],
      3,
      ['api/confirmation:3:tx', 'confirmation:3:tx', 'confirmation:3:tx2', 'mempool:3:tx'],
    ],
    [
      'the highest count there is',
      [`confirmation:1:tx`, `confirmation:${MAX - 1}:tx`],
      MAX,
      ['confirmation:1:tx', `confirmation:${MAX - 1}-${MAX}:tx`],
    ],
  ];
  test.for(ADDED)('%s', ([_, seen, count, after]) => {
    const before = runs(...seen);
    expect(add(before, confirmation(count))).toEqual(runs(...after));
    expect(before).toEqual(runs(...seen));
  });

  test.for([1, 4, 7, 9, null])('and is not added twice: %s', (count) => {
    const seen = runs('confirmation::tx', 'confirmation:1-7:tx', 'confirmation:9:tx');
    expect(add(seen, confirmation(count))).toBe(seen);
  });

  test('and having no count is not having the count zero', () => {
    const [uncounted, zero] = [notified(confirmation(null)), notified(confirmation(0))];
    expect(includesEvent(runs('confirmation::tx'), zero, 'webhook')).toBe(false);
    expect(includesEvent(runs('confirmation:0:tx'), uncounted, 'webhook')).toBe(false);
  });

  test('an outgoing one has no count', () => {
    const seen = addEvent(NO_EVENTS, outgoing('mined'), 'api');
    expect(seen).toEqual(runs('api/mined::wd-tx'));
    expect(includesEvent(seen, outgoing('mined'), 'api')).toBe(true);
    expect(includesEvent(seen, outgoing('mined'), 'webhook')).toBe(false);
    expect(includesEvent(seen, outgoing('approved'), 'api')).toBe(false);
  });
});

const DEEPEST: [seen: string[], deepest: number | null][] = [
  [[], null],
  [['confirmation::', 'mempool:9:'], null],
  [['confirmation:0:'], 0],
  [['confirmation:7:', 'confirmation:1-3:tx'], 7],
  [['api/confirmation:12:', 'confirmation:7:'], 12],
  [['confirmation:7:', `confirmation:1-${MAX}:tx`], MAX],
];
test.for(DEEPEST)('the deepest confirmation of %o is %s', ([seen, deepest]) => {
  expect(deepestConfirmation(runs(...seen))).toBe(deepest);
});

const seenEvent: fc.Arbitrary<SeenEvent> = fc.record({
  type: fc.constantFrom('mempool', 'transaction', 'confirmation'),
  id: fc.constantFrom(null, 'tx', 'ty'),
  count: fc.oneof(fc.nat({ max: 9 }), fc.constantFrom(null, MAX - 2, MAX - 1, MAX)),
  source: fc.constantFrom('webhook', 'api'),
});
/** Of one name, so that runs grow, meet and leave gaps. */
const deeper = fc.nat({ max: 15 }).map((count) => confirmation(count));
const events = fc.array(fc.oneof(seenEvent, deeper), { maxLength: 40 });

function nameOf({ type, id, count, source }: SeenEvent): string {
  return JSON.stringify([type, id, source, count]);
}

function namesIn({ type, transactionId, source, from, to }: EventRun): string[] {
  const counts =
    from === null ? [null] : Array.from({ length: to - from + 1 }, (_, step) => from + step);
  return counts.map((count) => JSON.stringify([type, transactionId, source, count]));
}

test('events in any order make the same set, in the fewest runs', () => {
  fc.assert(
    fc.property(events, fc.array(seenEvent), (all, others) => {
      const seen = add(NO_EVENTS, ...all);
      const names = new Set(all.map(nameOf));
      expect(seen.flatMap(namesIn).toSorted()).toEqual([...names].toSorted());
      for (const one of [...all, ...others]) {
        expect(includesEvent(seen, notified(one), one.source)).toBe(names.has(nameOf(one)));
      }
      // The count after a run is in none: the run would be longer.
      const after = seen.flatMap(({ to, ...run }) =>
        to === null ? [] : namesIn({ ...run, from: to + 1, to: to + 1 }),
      );
      expect(after.filter((name) => names.has(name))).toEqual([]);
      const counts = all.flatMap(({ type, count }) =>
        type === 'confirmation' && count !== null ? [count] : [],
      );
      expect(deepestConfirmation(seen)).toBe(counts.length === 0 ? null : Math.max(...counts));
      for (const one of all) expect(add(seen, one)).toBe(seen);
    }),
  );
});

test('the order of arrival leaves no trace', () => {
  const shuffled = events.chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([all, again]) => {
      expect(add(NO_EVENTS, ...again)).toEqual(add(NO_EVENTS, ...all));
    }),
  );
});
