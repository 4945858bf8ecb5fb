import { expect, test } from 'vitest';
import type { ChangeKind } from '../../src/domain/fact/notification.ts';
import { AccountId, AddressId } from '../../src/domain/ids.ts';
import { changesOf, optional } from '../../src/translation/balance-change.ts';
import { balanceChange } from '../../src/wire/balance-change.ts';
import { AT_ADDRESS, change, decimals, type ChangeBody } from '../store/webhook.ts';

function only(wire: ChangeBody, scope?: Parameters<typeof changesOf>[1]) {
  const [first] = changesOf([{ ...wire, tags: wire.tags && [...wire.tags] }], scope) ?? [];
  if (first === undefined) throw new Error('nothing was read');
  return first;
}

const KINDS: [tags: string[] | undefined, kind: ChangeKind][] = [
  [undefined, 'transfer'],
  [[], 'transfer'],
  [['erc20'], 'transfer'],
  [['contract'], 'transfer'],
  [['staking-reward'], 'transfer'],
  [['FEE'], 'transfer'],
  [['fee'], 'fee'],
  [['change'], 'change'],
  [['rebate'], 'rebate'],
  [['mint'], 'mint'],
  [['erc20', 'fee'], 'fee'],
  [['new', 'change'], 'change'],
  [['mint', 'new'], 'mint'],
  // Never the customer's by any tag: money is not given away by the order of two words.
  [['change', 'fee'], 'fee'],
  [['fee', 'change'], 'fee'],
];

test.for(KINDS)('tags %j make it a %s', ([tags, kind]) => {
  expect(only(change('1', tags === undefined ? {} : { tags })).kind).toBe(kind);
});

const SCOPE = { accountId: AccountId('acc-s'), addressId: AddressId('adr-s') };

/** Where a change is posted: from its own objects, else from the notification's scope. */
const POSITIONS: [
  why: string,
  wire: Partial<ChangeBody>,
  scoped: boolean,
  position: (string | null)[],
][] = [
  ['both its own', AT_ADDRESS, true, ['acc-1', 'adr-1', null]],
  ['both its own, no scope', AT_ADDRESS, false, ['acc-1', 'adr-1', null]],
  ['account-level', { account: { id: 'acc-1' } }, false, ['acc-1', null, null]],
  ['vault-level', {}, false, [null, null, null]],
  ['the scope’s', {}, true, ['acc-s', 'adr-s', null]],
  [
    'a registered memo',
    { ...AT_ADDRESS, memoInfo: { memo: 'bob' } },
    true,
    ['acc-1', 'adr-1', 'bob'],
  ],
];

test.for(POSITIONS)('position: %s', ([_, wire, scoped, position]) => {
  const { accountId, addressId, memo } = only(change('1', wire), scoped ? SCOPE : undefined);
  expect([accountId, addressId, memo]).toEqual(position);
});

test('the address’s own memo attributes nothing: only memoInfo does', () => {
  const wire = { ...change('1'), address: { id: 'adr-1', memo: 'bob' } };
  expect(only(wire).memo).toBeNull();
});

test.for([
  ['no memo', { subAccountId: 'sub-1', name: 'bob' }],
  ['an empty memo', { memo: '' }],
  ['a number as its memo', { memo: 7 }],
  ['an object as its memo', { memo: { text: 'bob' } }],
  ['a text', 'bob'],
  ['a list', ['bob']],
  ['nothing', null],
])('a memoInfo with %s attributes nothing', ([_, memoInfo]) => {
  const read = balanceChange.parse({ ...change('1'), memoInfo });
  expect(changesOf([read])).toMatchObject([{ amount: 1n, memo: null }]);
});

test('amounts and decimals are exact, and null when they are absent', () => {
  const digits = `-${'9'.repeat(78)}`;
  expect(only(change(digits, decimals(18)))).toMatchObject({
    amount: BigInt(digits),
    decimals: 18,
  });
  expect(only(change('0')).decimals).toBeNull();
});

test('no list is null, an empty list is a list', () => {
  expect([changesOf(null), changesOf(undefined), changesOf([])]).toEqual([null, null, []]);
});

test('absent, null and empty texts are all "not there"', () => {
  expect([undefined, null, ''].map((value) => optional(AccountId, value))).toEqual([
    null,
    null,
    null,
  ]);
  expect(optional(AccountId, ' ')).toBe(' ');
});
