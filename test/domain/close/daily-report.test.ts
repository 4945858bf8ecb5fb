import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { breakKey, finding, opened, type Break } from '../../../src/domain/break/break.ts';
import type { CountedEffect } from '../../../src/domain/close/record.ts';
import type { ReportTotal } from '../../../src/domain/close/report.ts';
import {
  AssetId,
  BlockchainHash,
  BreakId,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import {
  at,
  exceptions,
  figures,
  hash,
  inputs,
  NOT_READ,
  RECORD,
  sealed,
  V1,
  V2,
  closeDay,
  type CloseInputs,
} from './inputs.ts';
import { CUT_OFF, DAY_MS, HASH_KEY, line } from './day-lines.ts';

describe('a first day', () => {
  const reported = () =>
    closeDay(inputs({ hashes: [hash([line(100n)])], custodyMoved: [at(V1, 60n), at(V1, 40n)] }));

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
      custodyClosing: '100',
      custodyDifference: '0',
    };
    expect(reported()).toEqual({
      version: 1,
      day: '2026-03-01',
      timezone: 'UTC',
      from: null,
      cutOffAt: '2026-03-02T00:00:00.000Z',
      closedAt: '2026-03-02T02:00:00.000Z',
      status: 'balanced',
      exceptions: [],
      journal: { afterSeq: 0, throughSeq: 30, commitNumber: 3, sealHash: 'ab' },
      previous: null,
      totals: [total],
      custody: {
        compared: true,
        readAt: '2026-03-02T01:00:00.000Z',
        transactions: 4,
        changed: 0,
        unreadable: 0,
        requests: 2,
        watermark: '2026-03-02T00:00:00.000Z',
      },
      differences: [],
      inTransit: [],
      priorDay: [],
      openBreaks: [],
      ageing: { under1Day: 0, under7Days: 0, under30Days: 0, over30Days: 0 },
    });
  });

  test('has its members in the order in which they are sealed', () => {
    expect(Object.keys(reported()).join(' ')).toBe(
      'version day timezone from cutOffAt closedAt status exceptions journal previous totals custody differences inTransit priorDay openBreaks ageing',
    );
  });

  test('of an empty ledger has no rows and is balanced', () => {
    const empty = closeDay(inputs());
    expect([empty.totals, empty.status]).toEqual([[], 'balanced']);
  });
});

const OWN = [
  line(-130n, { cause: 'mined' }),
  line(-5n, { cause: 'mined', change: 'fee' }),
  line(40n, { change: 'change' }),
  line(30n, { vaultId: V2.vaultId, entryId: 2 }),
];
const GIFTS = [
  line(1n, { change: 'rebate' }),
  line(2n, { change: 'mint' }),
  line(-3n, { cause: 'suspense' }),
  line(200n),
];

describe('the roll-forward of a day', () => {
  test('shows withdrawals and fees as what went out, and everything else with its sign', () => {
    const report = closeDay(
      inputs({
        record: NOT_READ,
        hashes: [hash(OWN, { own: true }), hash(GIFTS, { blockchainHash: BlockchainHash('0xb2') })],
      }),
    );
    expect(figures(report)).toEqual([
      'v1 ethereum:ETH: deposits 200, withdrawals 60, fees 5, rebates 1, mints 2, internal -30, adjustments -3, closing 105, chainClosing 105, custodyClosing null, custodyDifference null',
      'v2 ethereum:ETH: internal 30, closing 30, chainClosing 30, custodyClosing null, custodyDifference null',
    ]);
  });

  test('takes facts after the last close up to the cut-off, and no others', () => {
    const lines = [8, 10, 11, 30, 31].map((seq) =>
      line(10n ** BigInt(seq - 8), { seq, entryId: seq }),
    );
    const previous = sealed(closeDay(inputs()), 10);
    const report = closeDay(inputs({ record: NOT_READ, previous, hashes: [hash(lines)] }));
    expect(report.totals).toMatchObject([
      { deposits: `${10n ** 22n + 1_000n}`, chainClosing: `${10n ** 22n + 1_000n}` },
    ]);
    expect(report.journal).toMatchObject({ afterSeq: 10, throughSeq: 30 });
  });

  test('lists vaults and assets by name, wherever they were first met', () => {
    const coin = AssetId('a:COIN');
    const lines = [
      line(1n, { vaultId: V2.vaultId }),
      line(1n),
      line(1n, { asset: AssetId('ripple:XRP') }),
      line(1n, { vaultId: V2.vaultId, asset: coin }),
      line(1n, { vaultId: VaultId('v10') }),
      line(1n, { asset: coin }),
    ];
    const report = closeDay(inputs({ record: NOT_READ, hashes: [hash(lines)] }));
    expect(report.totals.map(({ vaultId, asset, decimals }) => [vaultId, asset, decimals])).toEqual(
      [
        ['v1', 'a:COIN', null],
        ['v1', 'ethereum:ETH', 18],
        ['v1', 'ripple:XRP', null],
        ['v10', 'ethereum:ETH', 18],
        ['v2', 'a:COIN', null],
        ['v2', 'ethereum:ETH', 18],
      ],
    );
  });

  test('has a row where only the chain moved, and where only custody did', () => {
    const chain = hash([line(7n)], { custody: [] });
    const only = { ...chain, lines: chain.lines.filter(({ view }) => view === 'chain') };
    const report = closeDay(inputs({ hashes: [only], custodyMoved: [at(V2, 3n)] }));
    expect(figures(report)).toEqual([
      'v1 ethereum:ETH: chainClosing 7, chainDifference -7',
      'v2 ethereum:ETH: custodyClosing 3, custodyDifference -3',
    ]);
  });

  test('separates differences of hashes without a chain view', () => {
    const reported = hash([line(5n), line(2n, { view: 'chain', cause: 'chain' })]);
    const untold = hash([line(10n)], { blockchainHash: BlockchainHash('0xb2') });
    const report = closeDay(
      inputs({
        record: NOT_READ,
        hashes: [
          { ...reported, lines: reported.lines.slice(0, 2) },
          { ...untold, lines: untold.lines.slice(0, 1) },
        ],
      }),
    );
    expect(report.totals).toMatchObject([
      { closing: '15', chainClosing: '2', chainDifference: '13', chainUntold: '10' },
    ]);
  });
});

describe('a report is not balanced', () => {
  const untold = hash([line(10n)]);
  const books = { ...untold, lines: untold.lines.slice(0, 1) };

  const WHY: [why: string, given: Partial<CloseInputs>, are: string[]][] = [
    ['when custody was not asked', { record: NOT_READ }, ['custody_not_compared: the API is down']],
    [
      'when neither the chain nor custody confirmed what moved',
      {
        record: NOT_READ,
        hashes: [
          books,
          hash([line(1n, V2), line(1n, { ...V2, asset: AssetId('X') })], {
            blockchainHash: BlockchainHash('0xb2'),
          }),
        ],
      },
      [
        'custody_not_compared: the API is down',
        'chain_not_compared: 1 vaults and assets moved where the chain view was told nothing, and custody did not confirm it',
      ],
    ],
    [
      'when rows of custody’s list were not understood',
      { record: { ...RECORD, custody: { ...RECORD.custody, unreadable: 2 } } },
      [
        "custody_rows_unreadable: 2 rows of the custody API's list were not understood and count for nothing",
      ],
    ],
    [
      'when a difference has no explanation',
      { hashes: [hash([line(10n)], { custody: [] })] },
      ['unexplained_difference: 1 difference has no explanation'],
    ],
    [
      'when two have none',
      {
        hashes: [
          hash([line(10n)], { custody: [] }),
          hash([line(1n)], { custody: [], blockchainHash: BlockchainHash('0xb2') }),
        ],
      },
      ['unexplained_difference: 2 differences have no explanation'],
    ],
    [
      'when custody’s balances moved by what no hash tells',
      { custodyMoved: [at(V1, 3n)] },
      ['identity: v1 ethereum:ETH: -3 apart from custody, of which 0 is on known hashes'],
    ],
  ];

  test.for(WHY)('%s', ([, given, are]) => {
    const report = closeDay(inputs(given));
    expect(exceptions(report)).toEqual(are);
    expect(report.status).toBe('exceptions');
  });

  test('but an explained difference alone does not unbalance it', () => {
    const young = hash([line(10n, { postedAt: CUT_OFF - 1 })], { custody: [] });
    const report = closeDay(inputs({ hashes: [young] }));
    expect(report.differences.map(({ explanation }) => explanation)).toEqual(['in_grace']);
    expect([report.status, report.exceptions]).toEqual(['balanced', []]);
  });

  test('a movement without a chain view that custody confirmed is no exception', () => {
    const report = closeDay(inputs({ hashes: [books], custodyMoved: [at(V1, 10n)] }));
    expect(report.totals).toMatchObject([{ chainUntold: '10' }]);
    expect(report.status).toBe('balanced');
  });
});

test('the report keeps what the custody API answered about the reading', () => {
  expect(closeDay(inputs({ record: NOT_READ })).custody).toEqual({
    compared: false,
    reason: 'the API is down',
  });
  const transactionId = TransactionId('tx');
  const moved: CountedEffect = { transactionId, ...HASH_KEY, ...V1, amounts: [], updatedAt: 1 };
  const custody = { ...RECORD.custody, watermark: null, unreadable: 2, counted: [moved] };
  expect(closeDay(inputs({ record: { ...RECORD, custody } })).custody).toMatchObject({
    changed: 1,
    unreadable: 2,
    watermark: null,
  });
});

test('exempt differences come last, by rule; a day whose fact has none reads as before', () => {
  const exempt = { rounding: 2, 'old wallet': 1 };
  const report = closeDay(inputs({ record: { ...RECORD, exempt } }));
  const { exempt: exemptInReport, ...others } = report;
  expect(exemptInReport).toEqual(exempt);
  const before = closeDay(inputs());
  expect(Object.keys(before)).not.toContain('exempt');
  expect(JSON.stringify(others)).toBe(JSON.stringify(before));
  expect(Object.keys(report).at(-1)).toBe('exempt');
});

describe('the breaks that are open at the cut-off', () => {
  function openSince(openedAt: number, more: Partial<Break> = {}): Break {
    const difference = finding('conservation', {
      key: breakKey('conservation', '0xa1'),
      subject: { ...V1, ...HASH_KEY },
      expected: Amount(5n),
      actual: Amount(3n),
      detail: 'it does not add up',
    });
    return { ...opened(difference, BreakId('brk_1'), openedAt).after, ...more };
  }

  test('are shown as they stood', () => {
    const report = closeDay(inputs({ openBreaks: [openSince(CUT_OFF - 90_500)] }));
    expect(report.openBreaks).toEqual([
      {
        breakId: 'brk_1',
        type: 'conservation',
        severity: 'warning',
        state: 'open',
        vaultId: 'v1',
        network: 'ethereum',
        blockchainHash: '0xa1',
        asset: 'ethereum:ETH',
        transactionId: null,
        depositId: null,
        expected: '5',
        actual: '3',
        difference: '-2',
        detail: 'it does not add up',
        openedAt: '2026-03-01T23:58:29.500Z',
        ageSeconds: 90,
      },
    ]);
  });

  test('may know no figures, and are never younger than the cut-off', () => {
    const bare = openSince(CUT_OFF + 5_000, { expected: null, actual: null });
    expect(closeDay(inputs({ openBreaks: [bare] })).openBreaks).toMatchObject([
      { expected: null, actual: null, difference: null, ageSeconds: 0 },
    ]);
  });

  const AGES: [days: string, ageMs: number, bucket: string][] = [
    ['no time', 0, 'under1Day'],
    ['almost a day', DAY_MS - 1, 'under1Day'],
    ['a day', DAY_MS, 'under7Days'],
    ['almost a week', 7 * DAY_MS - 1, 'under7Days'],
    ['a week', 7 * DAY_MS, 'under30Days'],
    ['almost a month', 30 * DAY_MS - 1, 'under30Days'],
    ['a month', 30 * DAY_MS, 'over30Days'],
  ];

  test.for(AGES)('open for %s', ([, ageMs, bucket]) => {
    const none = { under1Day: 0, under7Days: 0, under30Days: 0, over30Days: 0 };
    const openBreaks = [openSince(CUT_OFF - ageMs), openSince(CUT_OFF - ageMs)];
    expect(closeDay(inputs({ openBreaks })).ageing).toEqual({ ...none, [bucket]: 2 });
  });
});
