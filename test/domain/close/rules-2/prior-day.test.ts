import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { CustodyPart } from '../../../../src/domain/close/hash-facts.ts';
import { priorDayItems, type EventTime } from '../../../../src/domain/close/prior-day.ts';
import type { CloseRecord } from '../../../../src/domain/close/record.ts';
import type { PriorDayItem } from '../../../../src/domain/close/report.ts';
import { TransactionId, VaultId } from '../../../../src/domain/ids.ts';
import { Totals, type PositionLine } from '../../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, DAY_MS, HASH_KEY, HOUR_MS, line } from '../day-lines.ts';
import { at, V1 } from '../inputs.ts';

/** The day before ended with fact 10; this one ends with fact 30. */
const PREVIOUS = { day: '2026-02-28', cutOffAt: CUT_OFF - DAY_MS, throughSeq: 10 };
const BEFORE = PREVIOUS.cutOffAt - HOUR_MS;
const TODAY = PREVIOUS.cutOffAt + HOUR_MS;

const TX_A = TransactionId('tx-a');
const TX_B = TransactionId('tx-b');

/** What custody lists: a receipt of v1, dated before the last cut-off by its record. */
function listed(more: Partial<CustodyPart> = {}): CustodyPart {
  const dated = { at: BEFORE, datedBy: 'custody' } as const;
  return { ...at(V1, 5n), transactionId: TX_A, kind: 'incoming', ...dated, ...more };
}

interface Case {
  readonly lines?: readonly PositionLine[];
  readonly custody?: readonly CustodyPart[];
  /** The event's time in each fact; a fact without one has none. */
  readonly events?: Readonly<Record<number, EventTime>>;
  readonly rules?: CloseRecord['rules'];
  readonly before?: Totals;
  readonly moved?: Totals;
}

function items(given: Case): PriorDayItem[] {
  const { lines = [line(5n)], custody = [], events = {} } = given;
  const { before = new Totals(), moved = new Totals() } = given;
  return priorDayItems(
    { ...HASH_KEY, lines, own: false, custody, after: [] },
    {
      previous: PREVIOUS,
      throughSeq: 30,
      eventAt: (seq) => events[seq] ?? null,
      closedDayOf: (time) => new Date(time).toISOString().slice(0, 10),
      rules: 'rules' in given ? given.rules : 2,
      before,
      moved: moved.rows(),
    },
  );
}

/** `late_event 5 of entry 1, 2026-02-28T23:00:00.000Z by custody`. */
function texts(found: readonly PriorDayItem[]): string[] {
  return found.map(({ reason, amount, entryId, eventAt, datedBy }) => {
    const time = eventAt === null ? 'no time' : eventAt;
    return `${reason} ${amount} of entry ${entryId}, ${time} by ${datedBy}`;
  });
}

const delivered = (time: number) => ({ at: time, datedBy: 'delivery' }) as const;
const mined = (time: number) => ({ at: time, datedBy: 'block' }) as const;
const LATE = 'late_event 5 of entry 1, 2026-02-28T23:00:00.000Z';
const out = line(-5n, { cause: 'mined', transactionId: TX_A });
const LATE_DEBIT = 'late_event -5 of entry 1, 2026-02-28T23:00:00.000Z by custody';

const TIMES: [why: string, given: Case, are: string[]][] = [
  [
    'by custody’s record, not by the delivery of its notification',
    { custody: [listed()], events: { 20: delivered(TODAY) } },
    [`${LATE} by custody`],
  ],
  ['by custody’s record alone', { custody: [listed()] }, [`${LATE} by custody`]],
  ['by the block that custody names', { custody: [listed(mined(BEFORE))] }, [`${LATE} by block`]],
  [
    'by the block in its own fact before custody’s record',
    { custody: [listed({ at: TODAY })], events: { 20: mined(BEFORE) } },
    [`${LATE} by block`],
  ],
  [
    'by the block in its own fact, which is of the day',
    { custody: [listed()], events: { 20: mined(TODAY) } },
    [],
  ],
  [
    'by custody’s record of the day, though a notification says an earlier time',
    { custody: [listed({ at: TODAY })], events: { 20: delivered(BEFORE) } },
    [],
  ],
  [
    'by its delivery where custody lists nothing',
    { events: { 20: delivered(BEFORE) } },
    [`${LATE} by delivery`],
  ],
  [
    'by its delivery where custody gives no time',
    { custody: [listed({ at: null, datedBy: null })], events: { 20: delivered(BEFORE) } },
    [`${LATE} by delivery`],
  ],
  ['by no time whose source is unknown', { custody: [listed({ datedBy: null })] }, []],
  [
    'by a receipt that only rules 1 counted',
    { custody: [listed({ kind: null })] },
    [`${LATE} by custody`],
  ],
  [
    'by change, which is a receipt too',
    { custody: [listed({ kind: 'change' })] },
    [`${LATE} by custody`],
  ],
  ['by no debit of custody', { custody: [listed({ kind: 'outgoing' })] }, []],
  ['by no receipt of another vault', { custody: [listed({ vaultId: VaultId('v2') })] }, []],
  [
    'as a debit, by custody’s debit',
    { lines: [out], custody: [listed({ kind: 'outgoing' })] },
    [LATE_DEBIT],
  ],
  ['as a debit, by no receipt', { lines: [out], custody: [listed()] }, []],
  [
    'by its own transaction of several under one hash',
    {
      lines: [line(5n, { transactionId: TX_B })],
      custody: [listed({ at: TODAY }), listed({ transactionId: TX_B })],
    },
    [`${LATE} by custody`],
  ],
  [
    'by its own transaction, which is of the day',
    {
      lines: [line(5n, { transactionId: TX_B })],
      custody: [listed(), listed({ transactionId: TX_B, at: TODAY })],
    },
    [],
  ],
  [
    'by the first receipt where custody knows its transaction by another id',
    { custody: [listed(), listed({ transactionId: TX_B, at: TODAY })] },
    [`${LATE} by custody`],
  ],
  [
    'by its own fact alone under rules 1',
    { custody: [listed()], events: { 20: delivered(TODAY) }, rules: undefined },
    [],
  ],
  [
    'when recorded with an earlier time, and no event has one',
    { lines: [line(5n, { postedAt: BEFORE })] },
    ['recorded_late 5 of entry 1, no time by null'],
  ],
  [
    'as a reversal, by its own fact: the transaction itself was earlier',
    {
      lines: [line(5n, { entryId: 9, seq: 9, postedAt: BEFORE }), line(-5n, { reverses: 9 })],
      custody: [listed()],
      events: { 20: delivered(TODAY) },
    },
    ['reversal -5 of entry 1, 2026-03-01T01:00:00.000Z by delivery'],
  ],
];

describe('a movement belongs to a closed day under rules 2', () => {
  test.for(TIMES)('%s', ([, given, are]) => {
    expect(texts(items(given))).toEqual(are);
  });
});

const late = (amount: bigint, entryId: number, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId, seq: 20 + entryId, postedAt: BEFORE, ...more });

const UNDONE: [why: string, lines: readonly PositionLine[], are: string[]][] = [
  ['taken back within the day', [late(5n, 1), late(-5n, 2, { reverses: 1 })], []],
  [
    'taken back within the day and booked again',
    [late(5n, 1), late(-5n, 2, { reverses: 1 }), late(6n, 3)],
    ['recorded_late 6 of entry 3'],
  ],
  [
    'beside another that stays',
    [late(7n, 4), late(5n, 1), late(-5n, 2, { reverses: 1 })],
    ['recorded_late 7 of entry 4'],
  ],
  [
    'a closed day’s entry taken back in the day',
    [late(5n, 9, { seq: 9 }), late(-5n, 2, { reverses: 9 })],
    ['reversal -5 of entry 2'],
  ],
  [
    'taken back after the day',
    [late(5n, 1), late(-5n, 2, { reverses: 1, seq: 31 })],
    ['recorded_late 5 of entry 1'],
  ],
];

describe('a late movement', () => {
  test.for(UNDONE)('%s', ([, lines, are]) => {
    expect(texts(items({ lines })).map((text) => text.split(',')[0])).toEqual(are);
  });

  test('that was taken back within the day is still listed twice under rules 1', () => {
    const lines = [late(5n, 1), late(-5n, 2, { reverses: 1 })];
    const found = items({ lines, rules: undefined });
    expect(found.map(({ amount }) => amount)).toEqual(['5', '-5']);
    expect(found.map((item) => 'datedBy' in item)).toEqual([false, false]);
  });
});

test('a reclassified amount names its vault, its day, and both categories', () => {
  const before = new Totals();
  before.add(V1, 'deposits', Amount(5n));
  const moved = new Totals();
  moved.add(V1, 'deposits', Amount(-5n));
  moved.add(V1, 'internal', Amount(5n));
  const lines = [line(5n, { seq: 9, postedAt: BEFORE })];
  expect(items({ lines, before, moved })).toEqual([
    {
      reason: 'reclassified',
      day: '2026-02-28',
      vaultId: 'v1',
      network: 'ethereum',
      blockchainHash: '0xa1',
      asset: 'ethereum:ETH',
      amount: '5',
      entryId: null,
      eventAt: null,
      detail: 'counted under deposits then, and under internal now',
      datedBy: null,
      from: 'deposits',
      to: 'internal',
    },
  ]);
});
