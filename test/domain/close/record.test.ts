import { describe, expect, test } from 'vitest';
import { mayClose, type CloseRecord, type ClosedDay } from '../../../src/domain/close/record.ts';

const LAST: ClosedDay = { day: '2026-03-01', cutOffAt: 500, throughSeq: 5 };

/** 2 March ended at 1000, with fact 10; fact 11 came right at the cut-off. */
const RECORD: CloseRecord = {
  kind: 'close',
  day: '2026-03-02',
  timezone: 'UTC',
  cutOffAt: 1_000,
  graceMs: 100,
  throughSeq: 10,
  seal: { commitNumber: 3, hash: 'ab' },
  custody: { kind: 'not_read', reason: 'down' },
};
const CONTEXT = { last: LAST, at: 1_200, seq: 13, times: { through: 900, next: 1_000 } };

type Case = [
  why: string,
  record: Partial<CloseRecord>,
  context: Partial<Parameters<typeof mayClose>[1]>,
  may: boolean,
];

const CASES: Case[] = [
  ['after its cut-off, in order', {}, {}, true],
  ['at the very cut-off', {}, { at: 1_000 }, true],
  ['before its cut-off', {}, { at: 999 }, false],
  ['up to its own fact', { throughSeq: 13 }, {}, false],
  [
    'up to the fact before its own, after which there is none',
    { throughSeq: 12 },
    { times: { through: 999, next: undefined } },
    true,
  ],
  ['a day twice', { day: '2026-03-01' }, {}, false],
  ['an older day', { day: '2026-02-28' }, {}, false],
  [
    'a later day with the same cut-off',
    { cutOffAt: 500 },
    { times: { through: 400, next: 500 } },
    false,
  ],
  [
    'a later day with an older cut-off',
    { cutOffAt: 499 },
    { times: { through: 400, next: 500 } },
    false,
  ],
  [
    'a day in which nothing happened',
    { throughSeq: 5 },
    { times: { through: undefined, next: 1_000 } },
    true,
  ],
  [
    'less than what is closed already',
    { throughSeq: 4 },
    { times: { through: 400, next: 1_000 } },
    false,
  ],
  ['up to a fact that is not there', {}, { times: { through: undefined, next: 1_000 } }, false],
  ['up to a fact at the cut-off', {}, { times: { through: 1_000, next: 1_001 } }, false],
  ['up to a fact right before the cut-off', {}, { times: { through: 999, next: 1_001 } }, true],
  ['with another fact of the day after it', {}, { times: { through: 900, next: 999 } }, false],
  [
    'with facts after it of which no time is known',
    {},
    { times: { through: 900, next: undefined } },
    false,
  ],
  [
    'the first day of an empty ledger',
    { throughSeq: 0 },
    { last: undefined, seq: 1, times: { through: undefined, next: undefined } },
    true,
  ],
  [
    'the first day, up to a fact that is not there',
    { throughSeq: 1 },
    { last: undefined, seq: 2, times: { through: undefined, next: undefined } },
    false,
  ],
];

describe('a day may be closed', () => {
  test.for(CASES)('%s: %s', ([, record, context, may]) => {
    expect(mayClose({ ...RECORD, ...record }, { ...CONTEXT, ...context })).toBe(may);
  });
});
