import { describe, expect, test } from 'vitest';
import { breakKey, finding, opened, type Break } from '../../../../src/domain/break/break.ts';
import type { CloseRecord } from '../../../../src/domain/close/record.ts';
import type { DailyReport, ReportTotal } from '../../../../src/domain/close/report.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { AssetId, BlockchainHash, BreakId, TransactionId } from '../../../../src/domain/ids.ts';
import { CUT_OFF, DAY_MS, HASH_KEY, line } from '../day-lines.ts';
import {
  at,
  closeDay,
  figures,
  hash,
  inputs,
  NOT_READ,
  RECORD,
  sealed,
  V1,
  V2,
  type CloseInputs,
} from '../inputs.ts';

const NUMBERED: CloseRecord = { ...RECORD, rules: 2 };
const UNASKED: CloseRecord = { ...NOT_READ, rules: 2 };
const B2 = { blockchainHash: BlockchainHash('0xb2') };

function report(more: Partial<CloseInputs> = {}): DailyReport {
  return closeDay(inputs({ record: NUMBERED, ...more }));
}

/** A hash that the chain view knows nothing of, and custody neither. */
function untold(amount: bigint, more: Parameters<typeof hash>[1] & object = {}) {
  return { ...hash([line(amount)], { custody: [], ...more }), lines: [line(amount)] };
}

describe('a first day', () => {
  test('is reported whole', () => {
    const total: ReportTotal = {
      vaultId: 'v1',
      asset: 'ethereum:ETH',
      decimals: 18,
      opening: '0',
      deposits: '100',
      withdrawals: '0',
      fees: '0',
      rebates: '0',
      mints: '0',
      internal: '0',
      change: '0',
      adjustments: '0',
      closing: '100',
      chainClosing: '100',
      chainDifference: '0',
      chainUntold: '0',
      custodyRead: '100',
      custodyAfterCutOff: '0',
      custodyBurnedFees: '0',
      custodyClosing: '100',
      custodyDifference: '0',
    };
    const day = report({ hashes: [hash([line(100n)])], custodyMoved: [at(V1, 100n)] });
    expect(day).toMatchObject({
      version: 2,
      status: 'balanced',
      exceptions: [],
      openDifferences: [],
      totals: [total],
      custodyAfterCutOff: [],
      differences: [],
      unconfirmed: [],
      laterBreaks: [],
    });
    expect(Object.keys(day.totals[0] ?? {})).toEqual(Object.keys(total));
  });

  test('has its members in the order in which they are sealed', () => {
    const record = { ...NUMBERED, exempt: { rounding: 1 }, vaultNames: { v1: 'Treasury' } };
    expect(Object.keys(report({ record })).join(' ')).toBe(
      'version day timezone from cutOffAt closedAt status exceptions openDifferences journal previous totals custody custodyAfterCutOff differences inTransit unconfirmed priorDay openBreaks laterBreaks ageing exempt vaultNames',
    );
  });

  test('counts open differences in its status', () => {
    const young = hash([line(10n, { postedAt: CUT_OFF - 1 })], { custody: [] });
    const day = report({ hashes: [young] });
    expect([day.status, day.exceptions]).toEqual(['balanced with open differences', []]);
    expect(day.openDifferences).toEqual([
      { against: 'custody', asset: 'ethereum:ETH', count: 1, difference: '10', absolute: '10' },
    ]);
  });

  test('lists own debits that custody has not confirmed', () => {
    const day = report({ hashes: [hash([line(-30n, { cause: 'mined' })])] });
    expect(day.unconfirmed).toEqual([{ ...HASH_KEY, ...V1, amount: '-30' }]);
  });
});

describe('custody’s figure', () => {
  const moved = {
    ...at(V1, 30n),
    transactionId: TransactionId('tx'),
    at: CUT_OFF + 1,
    datedBy: 'block',
  } as const;
  const received = hash([line(70n)], { custody: hash([line(100n)]).custody, after: [moved] });

  test('leaves out what moved between the cut-off and the reading, and lists it', () => {
    const day = report({ hashes: [received], custodyMoved: [at(V1, 100n)] });
    expect(figures(day)).toEqual([
      'v1 ethereum:ETH: deposits 70, closing 70, chainClosing 70, custodyRead 100, custodyAfterCutOff 30, custodyClosing 70',
    ]);
    expect(day.custodyAfterCutOff).toMatchObject([{ transactionId: 'tx', amount: '30' }]);
    expect(day.status).toBe('balanced');
  });

  test('of the next day goes on from the reading', () => {
    const first = sealed(report({ hashes: [received], custodyMoved: [at(V1, 100n)] }), 30);
    const record = { ...NUMBERED, day: '2026-03-02', cutOffAt: CUT_OFF + DAY_MS, throughSeq: 60 };
    const today = { seq: 40, entryId: 4, postedAt: CUT_OFF + 1 };
    const hashes = [hash([line(70n), line(30n, today)])];
    const day = report({ record, previous: first, compared: first, hashes });
    expect(figures(day)).toEqual([
      'v1 ethereum:ETH: opening 70, deposits 30, closing 100, chainClosing 100, custodyRead 100, custodyClosing 100',
    ]);
    expect(day.status).toBe('balanced');
  });

  test('takes in a burned fee, which custody’s list omits', () => {
    const burned = hash([line(-2n, { cause: 'failed-fee', change: 'fee' })], { custody: [] });
    expect(figures(report({ hashes: [burned] }))).toEqual([
      'v1 ethereum:ETH: fees 2, closing -2, chainClosing -2, custodyRead -2, custodyBurnedFees -2, custodyClosing -2',
    ]);
  });

  test('is unknown while custody was not compared', () => {
    expect(figures(report({ record: UNASKED, hashes: [hash([line(5n)])] }))).toEqual([
      'v1 ethereum:ETH: deposits 5, closing 5, chainClosing 5, custodyRead null, custodyAfterCutOff null, custodyBurnedFees null, custodyClosing null, custodyDifference null',
    ]);
  });

  test('of a vault that the books do not know is still there after a day without a reading', () => {
    const first = sealed(report({ custodyMoved: [at(V2, 3n)] }), 30);
    const dark = { ...UNASKED, day: '2026-03-02', cutOffAt: CUT_OFF + DAY_MS, throughSeq: 60 };
    const second = sealed(report({ record: dark, previous: first, compared: first }), 60);
    expect(figures(second.report)).toEqual([]);
    const third = {
      ...NUMBERED,
      day: '2026-03-03',
      cutOffAt: CUT_OFF + 2 * DAY_MS,
      throughSeq: 90,
    };
    expect(figures(report({ record: third, previous: second, compared: first }))).toEqual([
      'v2 ethereum:ETH: custodyRead 3, custodyClosing 3, custodyDifference -3',
    ]);
  });
});

describe('the chain view', () => {
  const reported = hash([line(5n)], { custody: [] });
  const less = { ...reported, lines: [line(5n), line(2n, { view: 'chain', cause: 'chain' })] };

  test('of a vault lacks the hashes that it did not receive, and they are listed', () => {
    const day = report({ record: UNASKED, hashes: [less, untold(10n, B2)] });
    expect(day.totals).toMatchObject([
      { closing: '15', chainClosing: '2', chainDifference: '13', chainUntold: '10' },
    ]);
    expect(
      day.differences.map(({ difference, untold: lacksChainView }) => [difference, lacksChainView]),
    ).toEqual([
      ['3', undefined],
      ['10', true],
    ]);
  });

  test('that a vault never had is not compared: its differences with custody alone are listed', () => {
    const day = report({ hashes: [untold(10n)], hasChainView: () => false });
    expect(day.totals).toMatchObject([{ chainDifference: null, chainUntold: '10' }]);
    expect(day.differences.map(({ against, difference }) => [against, difference])).toEqual([
      ['custody', '10'],
    ]);
  });

  test('of a vault that another vault lacks is compared for itself', () => {
    const other = { ...untold(10n, B2), lines: [line(10n, { vaultId: V2.vaultId })] };
    const day = report({ record: UNASKED, hashes: [less, other], hasChainView: () => false });
    expect(day.totals).toMatchObject([
      { vaultId: 'v1', chainDifference: '3', chainUntold: '0' },
      { vaultId: 'v2', chainDifference: null, chainUntold: '10' },
    ]);
    expect(day.differences.map(({ vaultId }) => vaultId)).toEqual(['v1']);
    expect(day.status).toBe('exceptions');
  });

  test('that a vault had in a closed day is compared', () => {
    const day = report({ record: UNASKED, hashes: [untold(10n)] });
    expect(day.totals).toMatchObject([{ chainDifference: '10', chainUntold: '10' }]);
    expect(day.differences).toHaveLength(1);
  });
});

describe('breaks that explain a difference and opened after the cut-off', () => {
  function openedAt(time: number): Break {
    const difference = finding('amount_mismatch', {
      key: breakKey('amount_mismatch', '0xa1'),
      detail: 'custody says less',
      expected: Amount(0n),
      actual: Amount(10n),
    });
    return opened(difference, BreakId('brk_1'), time).after;
  }
  const apart = [hash([line(10n)], { custody: [] }), hash([line(1n)], { custody: [], ...B2 })];

  function laterIds(
    one: Break,
    breakOf = (breakId: BreakId) => (breakId === one.breakId ? one : undefined),
  ) {
    const day = report({ hashes: apart, breaksOf: () => [one], breakOf });
    expect(day.differences.map(({ breakId }) => breakId)).toEqual(['brk_1', 'brk_1']);
    return day.laterBreaks?.map(({ breakId, ageSeconds }) => `${breakId} ${ageSeconds}`);
  }

  test('are listed once each, without an age', () => {
    expect(laterIds(openedAt(CUT_OFF))).toEqual(['brk_1 0']);
    expect(laterIds(openedAt(CUT_OFF + DAY_MS))).toEqual(['brk_1 0']);
  });

  test('are not those that were open at the cut-off, which the report lists anyway', () => {
    expect(laterIds(openedAt(CUT_OFF - 1))).toEqual([]);
  });

  test('are not listed when the store no longer has them', () => {
    expect(laterIds(openedAt(CUT_OFF), () => undefined)).toEqual([]);
  });

  test('are none where a difference has no break', () => {
    const asked: string[] = [];
    const breakOf = (breakId: BreakId) => {
      asked.push(breakId);
      return undefined;
    };
    expect(report({ hashes: apart, breakOf }).laterBreaks).toEqual([]);
    expect(asked).toEqual([]);
  });
});

test('only the vaults of the totals are named', () => {
  const vaultNames = { v1: 'Treasury', v2: 'Hot wallet' };
  const hashes = [hash([line(5n, { asset: AssetId('ethereum:USDC') }), line(1n)])];
  const day = report({ record: { ...UNASKED, vaultNames }, hashes });
  expect(day.vaultNames).toEqual({ v1: 'Treasury' });
  expect(Object.keys(report({ record: UNASKED, hashes }))).not.toContain('vaultNames');
});
