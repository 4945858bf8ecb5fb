import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId } from '../../../src/domain/ids.ts';
import {
  classify,
  isDebitLine,
  sumOf,
  type HashOrigin,
  type PositionLine,
} from '../../../src/domain/money/roll-forward.ts';
import { line, moved } from '../close/day-lines.ts';
import { linesOf, type Row } from './rows.ts';

/** What is known of a hash beside its lines: own when a debit of it is in the books, or on request. */
function originOf(lines: readonly PositionLine[], own: boolean): HashOrigin {
  return { own: own || lines.some(isDebitLine), awaited: [] };
}

/** `a: withdrawals -70, internal -30`, a line per vault that moved. */
function movements(lines: readonly PositionLine[], own: boolean): string[] {
  return classify(lines, originOf(lines, own))
    .totals.rows()
    .map(({ vaultAsset, effects }) => `${vaultAsset.vaultId}: ${moved(effects)}`)
    .filter((text) => !text.endsWith(': '))
    .toSorted();
}

/** The books' lines of one hash, what they are, and which leg waits for its other one. */
const HASHES: [why: string, lines: Row[], own: boolean, are: string[], inTransit: string[]][] = [
  ['a receipt from outside', [['incoming', 'a', 100n]], false, ['a: deposits 100'], []],
  [
    'a receipt at two addresses',
    [
      ['incoming', 'a', 100n],
      ['incoming', 'a', 5n],
    ],
    false,
    ['a: deposits 105'],
    [],
  ],
  [
    'a receipt that is taken back',
    [
      ['incoming', 'a', 100n],
      ['incoming', 'a', -100n],
    ],
    false,
    [],
    [],
  ],
  [
    'a withdrawal and its fee',
    [
      ['mined', 'a', -100n],
      ['mined', 'a', -2n, 'fee'],
    ],
    true,
    ['a: withdrawals -100, fees -2'],
    [],
  ],
  ['the fee of a failed transaction', [['failed-fee', 'a', -2n, 'fee']], true, ['a: fees -2'], []],
  [
    'a transfer between own vaults',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', 100n],
    ],
    true,
    ['a: internal -100', 'b: internal 100'],
    [],
  ],
  [
    'the same, known for own by its debit alone',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', 100n],
    ],
    false,
    ['a: internal -100', 'b: internal 100'],
    [],
  ],
  [
    'half to an own vault, half outside',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', 30n],
    ],
    true,
    ['a: withdrawals -70, internal -30', 'b: internal 30'],
    [],
  ],
  [
    'a transfer of which the debit is not booked yet',
    [['incoming', 'b', 100n]],
    true,
    ['b: internal 100'],
    ['internal b 100'],
  ],
  [
    'a receipt that is more than its debit',
    [
      ['mined', 'a', -60n],
      ['incoming', 'b', 100n],
    ],
    true,
    ['a: internal -60', 'b: internal 100'],
    ['internal b 40'],
  ],
  [
    'a receipt of which a failed transaction burned the fee',
    [
      ['failed-fee', 'a', -2n, 'fee'],
      ['incoming', 'b', 100n],
    ],
    false,
    ['a: fees -2', 'b: internal 100'],
    ['internal b 100'],
  ],
  [
    'two debits for one receipt: the first vault by name pays first',
    [
      ['mined', 'b', -50n],
      ['mined', 'a', -60n],
      ['incoming', 'c', 80n],
    ],
    true,
    ['a: internal -60', 'b: withdrawals -30, internal -20', 'c: internal 80'],
    [],
  ],
  [
    'the same, however the debits were told',
    [
      ['mined', 'a', -60n],
      ['mined', 'b', -50n],
      ['incoming', 'c', 80n],
    ],
    true,
    ['a: internal -60', 'b: withdrawals -30, internal -20', 'c: internal 80'],
    [],
  ],
  [
    'two receipts share what the debits hold',
    [
      ['mined', 'a', -100n],
      ['incoming', 'c', 60n],
      ['incoming', 'd', 70n],
    ],
    true,
    ['a: internal -100', 'c: internal 60', 'd: internal 70'],
    ['internal d 30'],
  ],
  [
    'change that came back to the vault that paid',
    [
      ['mined', 'a', -100n],
      ['incoming', 'a', 40n, 'change'],
    ],
    true,
    ['a: withdrawals -60'],
    [],
  ],
  [
    'change in another vault than the one that paid',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', 40n, 'change'],
    ],
    true,
    ['a: withdrawals -100', 'b: change 40'],
    ['change b 40'],
  ],
  [
    'change in the second of two vaults that paid',
    [
      ['mined', 'a', -100n],
      ['mined', 'b', -50n],
      ['incoming', 'b', 40n, 'change'],
    ],
    true,
    ['a: withdrawals -100', 'b: withdrawals -10'],
    [],
  ],
  [
    'change before receipts, and the rest outside',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', 30n],
      ['incoming', 'a', 40n, 'change'],
    ],
    true,
    ['a: withdrawals -30, internal -30', 'b: internal 30'],
    [],
  ],
  [
    'change told with the debit itself',
    [
      ['mined', 'a', -100n],
      ['mined', 'a', 40n, 'change'],
    ],
    true,
    ['a: withdrawals -100, change 40'],
    [],
  ],
  [
    'a receipt that was taken back alone takes nothing from a debit',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', -30n],
    ],
    true,
    ['a: withdrawals -100', 'b: internal -30'],
    ['internal b -30'],
  ],
  [
    'a debit that was taken back pays for nothing',
    [
      ['mined', 'a', 10n],
      ['mined', 'b', -50n],
      ['incoming', 'c', 50n],
    ],
    true,
    ['a: withdrawals 10', 'b: internal -50', 'c: internal 50'],
    [],
  ],
  [
    'what a person booked to suspense, the fee too',
    [
      ['suspense', 'a', -100n],
      ['suspense', 'a', -2n, 'fee'],
    ],
    false,
    ['a: adjustments -102'],
    [],
  ],
  [
    'suspense beside a receipt is not its other leg',
    [
      ['suspense', 'a', -100n],
      ['incoming', 'b', 100n],
    ],
    false,
    ['a: adjustments -100', 'b: deposits 100'],
    [],
  ],
];

test.for(HASHES)('%s', ([, rows, own, are, inTransit]) => {
  const lines = linesOf(rows);
  expect(movements(lines, own)).toEqual(are);
  const legs = classify(lines, originOf(lines, own)).inTransit;
  expect(legs.map(({ kind, vaultId, amount }) => `${kind} ${vaultId} ${amount}`)).toEqual(
    inTransit,
  );
});

test('rebates and mints are neither deposits nor withdrawals', () => {
  const lines = [
    line(100n, { change: 'mint' }),
    line(3n, { change: 'rebate' }),
    line(-2n, { cause: 'mined', change: 'fee' }),
  ];
  expect(movements(lines, false)).toEqual(['v1: fees -2, rebates 3, mints 100']);
});

test('assets of one hash are never each other’s other leg', () => {
  const coin = AssetId('ethereum:USDC');
  const lines = [line(-100n, { cause: 'mined' }), line(100n, { asset: coin })];
  const { totals, inTransit } = classify(lines, originOf(lines, true));
  expect(
    totals.rows().map(({ vaultAsset, effects }) => `${vaultAsset.asset} ${moved(effects)}`),
  ).toEqual(['ethereum:ETH withdrawals -100', 'ethereum:USDC internal 100']);
  expect(inTransit).toEqual([
    { kind: 'internal', leg: 'credit', vaultId: 'v1', asset: coin, amount: Amount(100n) },
  ]);
});

test('every line falls into one category: the eight of a vault and asset sum to its lines', () => {
  const coin = AssetId('ethereum:USDC');
  const twoAssets = [line(3n), line(7n, { asset: coin }), line(-2n, { asset: coin })];
  const lines = [...linesOf(HASHES.flatMap(([, rows]) => rows)), ...twoAssets];
  const rows = classify(lines, originOf(lines, true)).totals.rows();
  const ofV1 = rows.filter(({ vaultAsset }) => vaultAsset.vaultId === 'v1');
  expect(ofV1.map(({ effects }) => sumOf(effects))).toEqual([3n, 5n]);
  for (const { vaultAsset, effects } of rows) {
    const posted = lines.filter(
      ({ vaultId, asset }) => vaultId === vaultAsset.vaultId && asset === vaultAsset.asset,
    );
    expect(sumOf(effects)).toBe(posted.reduce((sum, { amount }) => sum + amount, 0n));
  }
});
