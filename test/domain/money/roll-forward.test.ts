import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId, VaultId } from '../../../src/domain/ids.ts';
import {
  classify,
  isDebitLine,
  vaultAssetKey,
  sumOf,
  sumsByVaultAsset,
  Totals,
  unreversed,
  type HashWord,
  type PositionLine,
} from '../../../src/domain/money/roll-forward.ts';
import { line, moved } from '../close/day-lines.ts';

type Row = [
  cause: PositionLine['cause'],
  vault: string,
  amount: bigint,
  change?: PositionLine['change'],
];

function linesOf(rows: readonly Row[]): PositionLine[] {
  return rows.map(([cause, vault, amount, change = 'transfer']) =>
    line(amount, { cause, vaultId: VaultId(vault), change }),
  );
}

/** What is known of a hash beside its lines: own where a debit of it is in the books, or told to be. */
function wordOf(lines: readonly PositionLine[], own: boolean): HashWord {
  return { own: own || lines.some(isDebitLine), awaited: [] };
}

/** `a: withdrawals -70, internal -30`, a line per vault that moved. */
function movements(lines: readonly PositionLine[], own: boolean): string[] {
  return classify(lines, wordOf(lines, own))
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
  const legs = classify(lines, wordOf(lines, own)).inTransit;
  expect(legs.map(({ kind, vaultId, amount }) => `${kind} ${vaultId} ${amount}`)).toEqual(
    inTransit,
  );
});

/** A debit in the books, credits on own positions that are not, what that is, and what is in transit. */
const ONE_LEG: [
  why: string,
  lines: Row[],
  awaited: HashWord['awaited'],
  are: string[],
  inTransit: string[],
][] = [
  [
    'a transfer of which the credit is not booked yet',
    [
      ['mined', 'a', -100n],
      ['mined', 'a', -2n, 'fee'],
    ],
    [awaits('internal', 100n)],
    ['a: fees -2, internal -100'],
    ['debit internal a -100'],
  ],
  [
    'half to an own vault, half outside',
    [['mined', 'a', -100n]],
    [awaits('internal', 30n)],
    ['a: withdrawals -70, internal -30'],
    ['debit internal a -30'],
  ],
  [
    'one credit is booked and another is not',
    [
      ['mined', 'a', -100n],
      ['incoming', 'b', 60n],
    ],
    [awaits('internal', 40n)],
    ['a: internal -100', 'b: internal 60'],
    ['debit internal a -40'],
  ],
  [
    'change that has not come back yet, and the rest outside',
    [['mined', 'a', -100n]],
    [awaits('change', 60n, 'a')],
    ['a: withdrawals -40, change -60'],
    ['debit change a -60'],
  ],
  [
    'no more is awaited than the debit pays',
    [['mined', 'a', -100n]],
    [awaits('internal', 130n)],
    ['a: internal -100'],
    ['debit internal a -100'],
  ],
  ['nothing is awaited of a debit that was taken back', [], [awaits('internal', 30n)], [], []],
];

function awaits(
  kind: 'internal' | 'change',
  amount: bigint,
  from?: string,
): HashWord['awaited'][number] {
  const credit = { kind, asset: AssetId('ethereum:ETH'), amount: Amount(amount) };
  return from === undefined ? credit : { ...credit, from: VaultId(from) };
}

test.for(ONE_LEG)('with one leg in the books: %s', ([, rows, awaited, are, inTransit]) => {
  const { totals, inTransit: legs } = classify(linesOf(rows), { own: true, awaited });
  const shown = totals
    .rows()
    .map(({ vaultAsset, effects }) => `${vaultAsset.vaultId}: ${moved(effects)}`);
  expect(shown.toSorted()).toEqual(are);
  expect(
    legs.map(({ kind, leg, vaultId, amount }) => `${leg} ${kind} ${vaultId} ${amount}`),
  ).toEqual(inTransit);
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
  const { totals, inTransit } = classify(lines, wordOf(lines, true));
  expect(
    totals.rows().map(({ vaultAsset, effects }) => `${vaultAsset.asset} ${moved(effects)}`),
  ).toEqual(['ethereum:ETH withdrawals -100', 'ethereum:USDC internal 100']);
  expect(inTransit).toEqual([
    { kind: 'internal', leg: 'credit', vaultId: 'v1', asset: coin, amount: Amount(100n) },
  ]);
});

test('every line falls into one category: the eight of a vault and asset sum to its lines', () => {
  const lines = linesOf(HASHES.flatMap(([, rows]) => rows));
  for (const { vaultAsset, effects } of classify(lines, wordOf(lines, true)).totals.rows()) {
    const posted = lines.filter(({ vaultId }) => vaultId === vaultAsset.vaultId);
    expect(sumOf(effects)).toBe(posted.reduce((sum, { amount }) => sum + amount, 0n));
  }
});

test('totals are kept by vault and asset, in the order of first sight', () => {
  const totals = new Totals();
  const [b, a] = ['b', 'a'].map((vault) => ({
    vaultId: VaultId(vault),
    asset: AssetId('bitcoin:BTC'),
  }));
  if (a === undefined || b === undefined) throw new Error('no places');
  totals.add(b, 'deposits', Amount(5n));
  totals.add(a, 'fees', Amount(-1n));
  totals.add(b, 'deposits', Amount(2n));
  totals.add(b, 'change', Amount(3n));
  expect(
    totals.rows().map(({ vaultAsset, effects }) => [vaultAsset.vaultId, moved(effects)]),
  ).toEqual([
    ['b', 'deposits 7, change 3'],
    ['a', 'fees -1'],
  ]);
  expect(moved(totals.effects(b))).toBe('deposits 7, change 3');
  expect(sumOf(totals.effects({ ...a, asset: AssetId('bitcoin:X') }))).toBe(0n);
});

test('amounts are summed by vault and asset, in the order of first sight', () => {
  const part = (vault: string, asset: string, amount: bigint) => ({
    vaultId: VaultId(vault),
    asset: AssetId(asset),
    amount: Amount(amount),
  });
  const parts = [part('b', 'X', 5n), part('a', 'X', 1n), part('b', 'Y', 7n), part('b', 'X', -2n)];
  expect(sumsByVaultAsset(parts)).toEqual([
    part('b', 'X', 3n),
    part('a', 'X', 1n),
    part('b', 'Y', 7n),
  ]);
});

test('an entry that another one reversed is out of force, and so is the reversal', () => {
  const lines = [
    line(5n, { entryId: 1 }),
    line(2n, { entryId: 2 }),
    line(-5n, { entryId: 3, reverses: 1 }),
    line(7n, { entryId: 4 }),
  ];
  expect(unreversed(lines).map(({ entryId }) => entryId)).toEqual([2, 4]);
});

test('a vault and an asset make one key, and no two places share it', () => {
  const key = (vault: string, asset: string) =>
    vaultAssetKey({ vaultId: VaultId(vault), asset: AssetId(asset) });
  expect(key('v1', 'e:A')).toBe(key('v1', 'e:A'));
  expect(
    new Set([key('v1', 'e:A'), key('v1e', ':A'), key('v2', 'e:A'), key('v1', 'e:B')]).size,
  ).toBe(4);
});
