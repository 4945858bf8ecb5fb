import { describe, expect, test } from 'vitest';
import {
  afterCutOffRows,
  burnedFees,
  custodySide,
  VaultAssetSums,
} from '../../../../src/domain/close/difference/custody-figure.ts';
import type { HashFacts, MovedAfter } from '../../../../src/domain/close/hash-facts.ts';
import type { CloseRecord } from '../../../../src/domain/close/record.ts';
import { AssetId, TransactionId } from '../../../../src/domain/ids.ts';
import {
  vaultAssetKey,
  type VaultAsset,
  type PositionLine,
} from '../../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, line } from '../day-lines.ts';
import { at, hash, RECORD, V1, V2 } from '../inputs.ts';

const NUMBERED: CloseRecord = { ...RECORD, rules: 2 };
const COIN: VaultAsset = { ...V1, asset: AssetId('ethereum:USDC') };

/** The fee of 2 that a failed transaction of v1 burned. */
const burned = (more: Partial<PositionLine> = {}) =>
  line(-2n, { entryId: 4, cause: 'failed-fee', change: 'fee', ...more });
const afterCutOff = { seq: 31, postedAt: CUT_OFF };

/** A transaction that custody dates after the cut-off. */
function movedAfter(amount: bigint, vaultAsset = V1): MovedAfter {
  const transactionId = TransactionId('tx');
  return { ...at(vaultAsset, amount), transactionId, at: CUT_OFF + 1, datedBy: 'block' };
}

/** What custody lists for the hash up to the reading. */
function lists(amount: bigint, vaultAsset = V1): HashFacts['custody'][number] {
  const transactionId = TransactionId('tx');
  return { ...at(vaultAsset, amount), transactionId, kind: 'incoming', at: null, datedBy: null };
}

/** `v1 ethereum:ETH 100`, the sum of each vault and asset. */
function sumTexts(parts: readonly (VaultAsset & { readonly amount: bigint })[]): string[] {
  const found = new Map<string, bigint>();
  for (const { vaultId, asset, amount } of parts) {
    const key = `${vaultId} ${asset}`;
    found.set(key, (found.get(key) ?? 0n) + amount);
  }
  return [...found].map(([key, sum]) => `${key} ${sum}`);
}

const BURNED: [why: string, lines: readonly PositionLine[], are: string[]][] = [
  ['none without a failed transaction', [line(100n), line(-5n, { change: 'fee' })], []],
  ['the fee alone, not what else the hash moved', [line(100n), burned()], ['v1 ethereum:ETH -2']],
  ['not a fee that was taken back', [burned(), burned({ entryId: 5, reverses: 4 })], []],
  [
    'the fee that was booked in place of another',
    [burned(), burned({ entryId: 5, reverses: 4 }), burned({ entryId: 6 })],
    ['v1 ethereum:ETH -2'],
  ],
];

test.for(BURNED)('burned fees: %s', ([, lines, are]) => {
  expect(sumTexts(burnedFees(lines))).toEqual(are);
});

interface Case {
  readonly books: readonly PositionLine[];
  /** The chain view; it agrees with the books unless given. */
  readonly chain?: readonly PositionLine[];
  readonly custody?: HashFacts['custody'];
  readonly after?: readonly MovedAfter[];
}

function sideOf({ books, chain, custody = [], after = [] }: Case, record = NUMBERED): string[][] {
  const lines = chain === undefined ? {} : { lines: [...books, ...chain] };
  const side = custodySide(hash(books, { custody, after, ...lines }), record);
  return [sumTexts(side.atCutOff), sumTexts(side.after)];
}

const SIDES: [why: string, given: Case, atCutOff: string[], after: string[]][] = [
  [
    'is the list when everything happened before the cut-off',
    { books: [line(100n)], custody: [lists(100n)] },
    ['v1 ethereum:ETH 100'],
    [],
  ],
  [
    'lacks what moved after the cut-off',
    { books: [line(70n)], custody: [lists(100n)], after: [movedAfter(30n)] },
    ['v1 ethereum:ETH 70'],
    ['v1 ethereum:ETH 30'],
  ],
  [
    'lacks it when the books know nothing of the hash yet',
    { books: [], custody: [lists(30n)], after: [movedAfter(30n)] },
    ['v1 ethereum:ETH 0'],
    ['v1 ethereum:ETH 30'],
  ],
  [
    'keeps a movement that the books held by the cut-off: it cannot have come later',
    { books: [line(100n)], custody: [lists(100n)], after: [movedAfter(30n)] },
    ['v1 ethereum:ETH 100'],
    [],
  ],
  [
    'keeps one that the very last fact of the day booked',
    { books: [line(100n, { seq: 30 })], custody: [lists(100n)], after: [movedAfter(100n)] },
    ['v1 ethereum:ETH 100'],
    [],
  ],
  [
    'keeps one that the books held, though the chain view was told nothing',
    {
      books: [line(100n)],
      chain: [],
      custody: [lists(100n)],
      after: [movedAfter(100n)],
    },
    ['v1 ethereum:ETH 100'],
    [],
  ],
  [
    'lacks one that the chain view alone held',
    {
      books: [],
      chain: [line(100n, { view: 'chain', cause: 'chain' })],
      custody: [lists(100n)],
      after: [movedAfter(100n)],
    },
    ['v1 ethereum:ETH 0'],
    ['v1 ethereum:ETH 100'],
  ],
  [
    'lacks one that the books held only after the cut-off',
    { books: [line(100n, afterCutOff)], custody: [lists(100n)], after: [movedAfter(100n)] },
    ['v1 ethereum:ETH 0'],
    ['v1 ethereum:ETH 100'],
  ],
  [
    'weighs each vault and asset for itself',
    {
      books: [line(100n)],
      custody: [lists(100n), lists(40n, V2), lists(7n, COIN)],
      after: [movedAfter(100n), movedAfter(40n, V2), movedAfter(7n, COIN)],
    },
    ['v1 ethereum:ETH 100', 'v2 ethereum:ETH 0', 'v1 ethereum:USDC 0'],
    ['v2 ethereum:ETH 40', 'v1 ethereum:USDC 7'],
  ],
  [
    'includes a burned fee, which the list omits',
    { books: [burned()] },
    ['v1 ethereum:ETH -2'],
    [],
  ],
  ['omits a fee that burned after the cut-off', { books: [burned(afterCutOff)] }, [], []],
  [
    'includes the fee that the very last fact of the day booked',
    { books: [burned({ seq: 30 })] },
    ['v1 ethereum:ETH -2'],
    [],
  ],
  [
    'counts the burned fee before it weighs what moved later',
    {
      books: [line(100n), burned()],
      custody: [lists(100n)],
      after: [movedAfter(100n)],
    },
    ['v1 ethereum:ETH 98'],
    [],
  ],
];

describe('custody’s side of a hash at the cut-off', () => {
  test.for(SIDES)('%s', ([, given, atCutOff, after]) => {
    expect(sideOf(given)).toEqual([atCutOff, after]);
  });

  test('is the list as it was read under rules 1', () => {
    const books = [line(70n), burned()];
    const given = { books, custody: [lists(100n)], after: [movedAfter(30n)] };
    expect(sideOf(given, RECORD)).toEqual([['v1 ethereum:ETH 100'], []]);
  });
});

test('a movement after the cut-off is reported with its transaction, its time and that time’s source', () => {
  expect(afterCutOffRows(hash([]), [movedAfter(-30n)])).toEqual([
    {
      vaultId: 'v1',
      network: 'ethereum',
      blockchainHash: '0xa1',
      transactionId: 'tx',
      asset: 'ethereum:ETH',
      amount: '-30',
      at: '2026-03-02T00:00:00.001Z',
      datedBy: 'block',
    },
  ]);
});

test('sums add and take off, each vault and asset for itself', () => {
  const sums = new VaultAssetSums();
  sums.move(at(V1, 5n), 1n);
  sums.move(at(V1, 7n), 1n);
  sums.move(at(V1, 2n), -1n);
  sums.move(at(V2, 3n), -1n);
  expect([...sums]).toEqual([
    [vaultAssetKey(V1), 10n],
    [vaultAssetKey(V2), -3n],
  ]);
});
