import { describe, expect, test } from 'vitest';
import { sameContent } from '../../../src/domain/hash/same-changes.ts';
import { AccountId, AddressId, AssetId, Memo } from '../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../store/evidence.ts';

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
