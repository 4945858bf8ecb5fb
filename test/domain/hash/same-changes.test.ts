import { describe, expect, test } from 'vitest';
import { pinsOf, sameContent } from '../../../src/domain/hash/same-changes.ts';
import { AccountId, AddressId, AssetId, Memo } from '../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../store/evidence.ts';
import { ruleContext } from '../records.ts';

const ONE = balanceChange(1n);
const TWO = balanceChange(2n);

describe('the same changes are reported again', () => {
  const SAME: [how: string, left: BalanceChange[], right: BalanceChange[]][] = [
    ['word for word', [ONE, TWO], [balanceChange(1n), balanceChange(2n)]],
    ['in another order', [ONE, TWO, TWO], [TWO, ONE, TWO]],
    ['with other decimals, which nobody posts', [ONE], [balanceChange(1n, { decimals: 18 })]],
    ['with nothing, as before', [], []],
  ];
  test.for(SAME)('%s', ([_, left, right]) => {
    expect(sameContent(left, right)).toBe(true);
    expect(sameContent(right, left)).toBe(true);
  });
});

describe('other changes are reported', () => {
  const OTHER: [what: string, left: BalanceChange[], right: BalanceChange[]][] = [
    ['another amount', [ONE], [TWO]],
    ['another sign', [ONE], [balanceChange(-1n)]],
    ['another asset', [ONE], [balanceChange(1n, { asset: AssetId('ethereum:USDC') })]],
    ['another kind', [ONE], [balanceChange(1n, { kind: 'fee' })]],
    ['another account', [ONE], [balanceChange(1n, { accountId: AccountId('acc-2') })]],
    ['no address', [ONE], [balanceChange(1n, { addressId: null })]],
    [
      'an address of the name null',
      [balanceChange(1n, { addressId: null })],
      [balanceChange(1n, { addressId: AddressId('null') })],
    ],
    ['a memo', [ONE], [balanceChange(1n, { memo: Memo('7') })]],
    ['one more', [ONE], [ONE, ONE]],
    ['one less', [ONE], []],
    ['as many, another of them twice', [ONE, ONE, TWO], [ONE, TWO, TWO]],
  ];
  test.for(OTHER)('%s', ([_, left, right]) => {
    expect(sameContent(left, right)).toBe(false);
    expect(sameContent(right, left)).toBe(false);
  });
});

describe('decimals are pinned', () => {
  const [eth, usdc] = [AssetId('ethereum:ETH'), AssetId('ethereum:USDC')];
  const of = (asset: AssetId, decimals: number | null) => balanceChange(1n, { asset, decimals });
  const PINS: [
    how: string,
    list: BalanceChange[] | null,
    pins: { asset: AssetId; decimals: number }[],
  ][] = [
    [
      'once per asset',
      [of(eth, 18), of(usdc, 6), of(eth, 18)],
      [
        { asset: eth, decimals: 18 },
        { asset: usdc, decimals: 6 },
      ],
    ],
    ['as they came first', [of(eth, 18), of(eth, 8)], [{ asset: eth, decimals: 18 }]],
    ['where any came', [of(eth, null), of(eth, 18)], [{ asset: eth, decimals: 18 }]],
    ['for assets that have none pinned', [of(AssetId('ethereum:PINNED'), 4)], []],
    ['for no asset without changes', null, []],
  ];

  test.for(PINS)('%s', ([_, list, pins]) => {
    const pinnedDecimals = (asset: AssetId) => (asset === 'ethereum:PINNED' ? 6 : undefined);
    expect(pinsOf(list, ruleContext({ pinnedDecimals }))).toEqual(pins);
  });
});
