import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId, VaultId } from '../../../src/domain/ids.ts';
import { classify, type HashOrigin } from '../../../src/domain/money/roll-forward.ts';
import { moved } from '../close/day-lines.ts';
import { linesOf, type Row } from './rows.ts';

/** A debit in the books, credits on own positions that are not, what that is, and what is in transit. */
const ONE_LEG: [
  why: string,
  lines: Row[],
  awaited: HashOrigin['awaited'],
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
): HashOrigin['awaited'][number] {
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
