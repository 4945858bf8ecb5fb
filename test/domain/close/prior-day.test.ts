import { describe, expect, test } from 'vitest';
import { priorDayItems } from '../../../src/domain/close/prior-day.ts';
import type { PriorDayItem } from '../../../src/domain/close/report.ts';
import { AssetId, VaultId } from '../../../src/domain/ids.ts';
import { Totals, type PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { CUT_OFF, DAY_MS, HASH_KEY, HOUR_MS, line } from './day-lines.ts';

/** The day before ended with fact 10; this one ends with fact 30. */
const PREVIOUS = { day: '2026-02-28', cutOffAt: CUT_OFF - DAY_MS, throughSeq: 10 };
const BEFORE = PREVIOUS.cutOffAt - HOUR_MS;

/** A line of an entry of the day before. */
function old(amount: bigint, more: Partial<PositionLine> = {}): PositionLine {
  return line(amount, { entryId: 9, seq: 9, postedAt: BEFORE, ...more });
}

function items(
  lines: readonly PositionLine[],
  events: Readonly<Record<number, number>> = {},
  moved = new Totals(),
): PriorDayItem[] {
  const facts = { ...HASH_KEY, lines, own: false, custody: [], after: [] };
  return priorDayItems(facts, {
    previous: PREVIOUS,
    throughSeq: 30,
    eventAt: (seq) => {
      const at = events[seq];
      return at === undefined ? null : { at, datedBy: 'delivery' };
    },
    before: new Totals(),
    closedDayOf: (at) => new Date(at).toISOString().slice(0, 10),
    rules: undefined,
    moved: moved.rows(),
  });
}

function words(found: readonly PriorDayItem[]): string[] {
  return found.map(({ reason, day, amount, entryId, detail }) =>
    [reason, day, amount, entryId ?? 'no entry', detail].join(' | '),
  );
}

const LATE: [
  why: string,
  lines: PositionLine[],
  events: Readonly<Record<number, number>>,
  are: string[],
][] = [
  ['a receipt of the day itself', [line(5n)], {}, []],
  ['a receipt whose event is of the day', [line(5n)], { 20: PREVIOUS.cutOffAt }, []],
  [
    'an event right before the cut-off, told after it',
    [line(5n)],
    { 20: PREVIOUS.cutOffAt - 1 },
    ['late_event | 2026-02-28 | 5 | 1 | told after the cut-off'],
  ],
  [
    'an event of weeks ago belongs to its own day',
    [line(5n)],
    { 20: Date.UTC(2026, 1, 3, 7) },
    ['late_event | 2026-02-03 | 5 | 1 | told after the cut-off'],
  ],
  [
    'the last fact of the day counts',
    [line(5n, { seq: 30 })],
    { 30: BEFORE },
    ['late_event | 2026-02-28 | 5 | 1 | told after the cut-off'],
  ],
  ['a fact after the day does not', [line(5n, { seq: 31 })], { 31: BEFORE }, []],
  ['a fact of the day before does not', [old(5n, { seq: 10 })], { 10: BEFORE }, []],
  ['the chain view does not', [line(5n, { view: 'chain' })], { 20: BEFORE }, []],
  [
    'recorded with a time before the cut-off',
    [line(5n, { postedAt: PREVIOUS.cutOffAt - 1 })],
    {},
    [
      'recorded_late | 2026-02-28 | 5 | 1 | recorded with a time before the cut-off, after it had passed',
    ],
  ],
  ['recorded right at the cut-off', [line(5n, { postedAt: PREVIOUS.cutOffAt })], {}, []],
  [
    'a closed day’s receipt is taken back',
    [old(5n), line(-5n, { reverses: 9 })],
    {},
    ['reversal | 2026-02-28 | -5 | 1 | takes back entry 9'],
  ],
  [
    'and told anew by the same fact, with another amount',
    [old(5n), line(-5n, { reverses: 9 }), line(7n, { entryId: 2 })],
    {},
    [
      'reversal | 2026-02-28 | -5 | 1 | takes back entry 9',
      'reversal | 2026-02-28 | 7 | 2 | restates entry 9',
    ],
  ],
  [
    'what another fact of the day books is its own',
    [old(5n), line(-5n, { reverses: 9 }), line(7n, { entryId: 2, seq: 21 })],
    {},
    ['reversal | 2026-02-28 | -5 | 1 | takes back entry 9'],
  ],
  [
    'taking back what the same day booked is of the day',
    [old(1n), line(5n, { entryId: 1 }), line(-5n, { entryId: 2, seq: 21, reverses: 1 })],
    {},
    [],
  ],
  [
    'the very last entry of the closed day is taken back',
    [old(5n, { seq: 10 }), line(-5n, { reverses: 9 })],
    {},
    ['reversal | 2026-02-28 | -5 | 1 | takes back entry 9'],
  ],
  [
    'of two closed entries the one is named that is taken back',
    [old(1n, { entryId: 8 }), old(5n), line(-5n, { reverses: 9 })],
    {},
    ['reversal | 2026-02-28 | -5 | 1 | takes back entry 9'],
  ],
  [
    'a person books a movement that the chain showed in a closed day',
    [old(-5n, { view: 'chain', cause: 'chain' }), line(-5n, { cause: 'suspense' })],
    {},
    ['suspense | 2026-02-28 | -5 | 1 | books a movement that the chain showed before'],
  ],
  [
    'a person books a movement that the chain showed in the day',
    [
      line(-5n, { entryId: 2, view: 'chain', cause: 'chain' }),
      line(-5n, { cause: 'suspense', seq: 21 }),
    ],
    {},
    [],
  ],
  ['to suspense with the chain silent', [old(-5n), line(-5n, { cause: 'suspense' })], {}, []],
  [
    'a receipt that the chain showed in a closed day is of the day it was booked',
    [old(5n, { view: 'chain', cause: 'chain' }), line(5n)],
    {},
    [],
  ],
  [
    'an entry of two addresses is one sum per vault and asset',
    [line(5n), line(6n), line(1n, { vaultId: VaultId('v2') }), line(2n, { asset: AssetId('X') })],
    { 20: BEFORE },
    [
      'late_event | 2026-02-28 | 11 | 1 | told after the cut-off',
      'late_event | 2026-02-28 | 1 | 1 | told after the cut-off',
      'late_event | 2026-02-28 | 2 | 1 | told after the cut-off',
    ],
  ],
];

describe('counted in this day, belongs to a closed one', () => {
  test.for(LATE)('%s', ([, lines, events, are]) => {
    expect(words(items(lines, events))).toEqual(are);
  });

  test('an item names its vault, asset and hash, and the time of its event', () => {
    expect(items([line(5n)], { 20: BEFORE })).toEqual([
      {
        reason: 'late_event',
        day: '2026-02-28',
        vaultId: 'v1',
        network: 'ethereum',
        blockchainHash: '0xa1',
        asset: 'ethereum:ETH',
        amount: '5',
        entryId: 1,
        eventAt: '2026-02-28T23:00:00.000Z',
        detail: 'told after the cut-off',
      },
    ]);
    const recorded = line(5n, { postedAt: BEFORE });
    expect(items([recorded]).map(({ eventAt }) => eventAt)).toEqual([null]);
  });
});

describe('a closed day’s movement that belongs to another category now', () => {
  function reclassified(...vaults: string[]): Totals {
    const moved = new Totals();
    for (const vault of vaults) {
      const vaultAsset = { vaultId: VaultId(vault), asset: AssetId('ethereum:ETH') };
      moved.add(vaultAsset, 'deposits', Amount(-5n));
      moved.add(vaultAsset, 'internal', Amount(5n));
    }
    return moved;
  }
  const debit = line(-5n, { cause: 'mined', vaultId: VaultId('v2') });

  test('is named where no entry of the day says so already', () => {
    expect(items([old(5n), debit], {}, reclassified('v1', 'v2'))).toEqual([
      {
        reason: 'reclassified',
        day: '2026-02-28',
        vaultId: 'v1',
        network: 'ethereum',
        blockchainHash: '0xa1',
        asset: 'ethereum:ETH',
        amount: '0',
        entryId: null,
        eventAt: null,
        detail: 'what was counted then belongs elsewhere now: deposits -5, internal +5',
      },
    ]);
  });

  test('is named for the very last fact of the closed day too', () => {
    const found = items([old(5n, { seq: 10 }), debit], {}, reclassified('v1', 'v2'));
    expect(found.map(({ reason }) => reason)).toEqual(['reclassified']);
  });

  test('comes after the late entries of its hash', () => {
    const found = items([old(5n), debit], { 20: BEFORE }, reclassified('v1', 'v2'));
    expect(found.map(({ reason, vaultId }) => `${reason} ${vaultId}`)).toEqual([
      'late_event v2',
      'reclassified v1',
    ]);
  });

  test('is nothing where no closed day booked the hash', () => {
    expect(items([debit], {}, reclassified('v1'))).toEqual([]);
    const seen = old(5n, { view: 'chain', cause: 'chain' });
    expect(items([seen, debit], {}, reclassified('v1'))).toEqual([]);
  });
});
