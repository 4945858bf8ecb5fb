import { beforeEach, describe, expect, test } from 'vitest';
import type { SealedDay } from '../../../src/domain/close/fold.ts';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import { AssetId, BlockchainHash } from '../../../src/domain/ids.ts';
import type { PositionLine } from '../../../src/domain/money/roll-forward.ts';
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
} from './inputs.ts';
import { CUT_OFF, DAY_MS, HOUR_MS, line } from './day-lines.ts';

describe('the day after', () => {
  let previous: SealedDay;
  beforeEach(() => {
    const hashes = [hash([line(100n), line(1n, { vaultId: V2.vaultId })])];
    const custodyMoved = [at(V1, 100n), at(V2, 1n)];
    previous = sealed(closeDay(inputs({ hashes, custodyMoved })), 30);
  });
  const SECOND = {
    ...RECORD,
    day: '2026-03-02',
    cutOffAt: CUT_OFF + DAY_MS,
    throughSeq: 60,
  };
  const SECOND_NOT_READ = { ...SECOND, custody: NOT_READ.custody };

  /** A line of the second day. */
  function today(amount: bigint, more: Partial<PositionLine> = {}): PositionLine {
    return line(amount, { seq: 40, entryId: 4, postedAt: CUT_OFF + HOUR_MS, ...more });
  }

  function second(more: Partial<CloseInputs> = {}): DailyReport {
    return closeDay(inputs({ record: SECOND, previous, compared: previous, ...more }));
  }

  test('goes on from the closing figures, and names the day it follows', () => {
    const report = second();
    expect(figures(report)).toEqual([
      'v1 ethereum:ETH: opening 100, closing 100, chainClosing 100, custodyClosing 100',
      'v2 ethereum:ETH: opening 1, closing 1, chainClosing 1, custodyClosing 1',
    ]);
    expect(report).toMatchObject({
      from: '2026-03-02T00:00:00.000Z',
      cutOffAt: '2026-03-03T00:00:00.000Z',
      previous: { day: '2026-03-01', reportHash: 'cd' },
      journal: { afterSeq: 30, throughSeq: 60 },
      priorDay: [],
    });
  });

  test('shows what left the vault, and the row of an emptied vault for that day only', () => {
    const out = today(-1n, { cause: 'mined', vaultId: V2.vaultId });
    const report = second({ hashes: [hash([out])], custodyMoved: [at(V2, -1n)] });
    expect(figures(report)[1]).toBe('v2 ethereum:ETH: opening 1, withdrawals 1');
    const third = { ...SECOND, day: '2026-03-03', cutOffAt: CUT_OFF + 2 * DAY_MS };
    const after = sealed(report, 60);
    const next = closeDay(inputs({ record: third, previous: after, compared: after }));
    expect(next.totals.map(({ vaultId }) => vaultId)).toEqual(['v1']);
    const unasked = { ...third, custody: NOT_READ.custody };
    const dark = closeDay(inputs({ record: unasked, previous: after, compared: after }));
    expect(dark.totals.map(({ vaultId }) => vaultId)).toEqual(['v1']);
  });

  test('takes custody’s figures from the last day that was compared', () => {
    const more = today(50n);
    const dark = second({ record: SECOND_NOT_READ, hashes: [hash([more])] });
    expect(dark.totals[0]).toMatchObject({
      closing: '150',
      custodyClosing: null,
      custodyDifference: null,
    });
    const third = { ...SECOND, day: '2026-03-03', cutOffAt: CUT_OFF + 2 * DAY_MS, throughSeq: 90 };
    const next = { record: third, previous: sealed(dark, 60), compared: previous };
    const report = closeDay(inputs({ ...next, custodyMoved: [at(V1, 50n)] }));
    expect(report.totals[0]).toMatchObject({
      opening: '150',
      closing: '150',
      custodyClosing: '150',
      custodyDifference: '0',
    });
    const silent = closeDay(inputs(next));
    expect(silent.totals[0]).toMatchObject({ custodyClosing: '100', custodyDifference: '50' });
  });

  test('a receipt that turns out to be own moves between categories and no balance', () => {
    const debit = today(-100n, { cause: 'mined', vaultId: V2.vaultId });
    const report = second({ hashes: [hash([line(100n), debit])], custodyMoved: [at(V2, -100n)] });
    expect(figures(report)).toEqual([
      'v1 ethereum:ETH: opening 100, deposits -100, internal 100, closing 100, chainClosing 100, custodyClosing 100',
      'v2 ethereum:ETH: opening 1, internal -100, closing -99, chainClosing -99, custodyClosing -99',
    ]);
    expect(report.priorDay).toMatchObject([
      { reason: 'reclassified', vaultId: 'v1', day: '2026-03-01', amount: '0' },
    ]);
  });

  test('under rules 2 the item says how much went from where to where', () => {
    const debit = today(-100n, { cause: 'mined', vaultId: V2.vaultId });
    const record = { ...SECOND, rules: 2 } as const;
    const hashes = [hash([line(100n), debit], { own: true })];
    const report = second({ record, hashes, custodyMoved: [at(V2, -100n)] });
    expect(report.priorDay).toMatchObject([
      { reason: 'reclassified', vaultId: 'v1', amount: '100', from: 'deposits', to: 'internal' },
    ]);
  });

  test('a late receipt is named, with the day that it belongs to', () => {
    const late = hash([today(50n)]);
    const report = second({
      hashes: [late],
      eventAt: () => ({ at: CUT_OFF - 1, datedBy: 'delivery' }),
    });
    expect(report.priorDay).toMatchObject([
      { reason: 'late_event', day: '2026-03-01', amount: '50', entryId: 4 },
    ]);
    expect(
      closeDay(inputs({ hashes: [late], eventAt: () => ({ at: 1, datedBy: 'delivery' }) }))
        .priorDay,
    ).toEqual([]);
  });

  test('a leg in transit is carried until its other one is booked', () => {
    const leg = hash([line(30n)], { own: true });
    const start = closeDay(inputs({ record: NOT_READ, hashes: [leg] }));
    expect(start.inTransit).toEqual([
      {
        kind: 'internal',
        vaultId: 'v1',
        network: 'ethereum',
        blockchainHash: '0xa1',
        asset: 'ethereum:ETH',
        amount: '30',
      },
    ]);
    const waits = closeDay(
      inputs({ record: SECOND_NOT_READ, previous: sealed(start, 30), hashes: [leg] }),
    );
    // Own before and own now: nothing moves in the day.
    expect(figures(waits)).toEqual([
      'v1 ethereum:ETH: opening 30, closing 30, chainClosing 30, custodyClosing null, custodyDifference null',
    ]);
    expect(waits.inTransit).toEqual(start.inTransit);
    const debit = today(-30n, { cause: 'mined', vaultId: V2.vaultId });
    const nextDay = closeDay(
      inputs({
        record: SECOND_NOT_READ,
        previous: sealed(start, 30),
        hashes: [hash([line(30n), debit])],
      }),
    );
    expect(figures(nextDay)).toMatchObject([
      expect.stringContaining('v1 ethereum:ETH: opening 30, closing 30,'),
      expect.stringContaining('v2 ethereum:ETH: internal -30, closing -30,'),
    ]);
    expect([nextDay.inTransit, nextDay.priorDay]).toEqual([[], []]);
  });

  test('a leg of another hash in transit makes no other receipt own', () => {
    const start = closeDay(
      inputs({ record: NOT_READ, hashes: [hash([line(30n)], { own: true })] }),
    );
    const other = hash([line(30n), today(5n)], {
      blockchainHash: BlockchainHash('0xb2'),
    });
    const report = closeDay(
      inputs({ record: SECOND_NOT_READ, previous: sealed(start, 30), hashes: [other] }),
    );
    expect(report.totals).toMatchObject([{ deposits: '5', internal: '0' }]);
  });

  test('change in transit does not make the receipts of its hash own', () => {
    const back = [line(30n), line(9n, { change: 'change', asset: AssetId('X') })];
    const start = closeDay(inputs({ record: NOT_READ, hashes: [hash(back)] }));
    expect(start.inTransit.map(({ kind }) => kind)).toEqual(['change']);
    const report = closeDay(
      inputs({ record: SECOND_NOT_READ, previous: sealed(start, 30), hashes: [hash(back)] }),
    );
    expect(report.totals.map(({ deposits, internal }) => [deposits, internal])).toEqual([
      ['0', '0'],
      ['0', '0'],
    ]);
  });
});
