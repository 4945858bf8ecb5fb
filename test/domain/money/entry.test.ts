import { describe, expect, test } from 'vitest';
import { negated } from '../../../src/domain/money/amount.ts';
import {
  entryOf,
  positionSums,
  reversalOf,
  unbalancedAssets,
  type Entry,
  type EntryHead,
  type Posting,
} from '../../../src/domain/money/entry.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  Memo,
  NetworkKey,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { ChangeKind } from '../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../store/evidence.ts';

const HEAD: EntryHead = {
  entryId: 7,
  view: 'books',
  cause: 'incoming',
  vaultId: VaultId('v1'),
  network: NetworkKey('ethereum'),
  blockchainHash: BlockchainHash('0xa1'),
  transactionId: null,
  reverses: null,
  source: 'webhook',
};

/** An entry as a finance person writes it: `account  amount`, one line each. */
function linesOf({ postings }: Entry): string[] {
  return postings.map(({ account, amount }) => {
    const vaultAsset = [account.vaultId, account.accountId, account.addressId, account.memo];
    const name =
      account.kind === 'position'
        ? vaultAsset.filter((part) => part !== null).join('/')
        : `${account.kind}:${account.vaultId}`;
    return `${name} ${account.asset} ${amount}`;
  });
}

const CONTRAS: [kind: ChangeKind, amount: bigint, contra: string][] = [
  ['transfer', 100n, 'world:v1 ethereum:ETH -100'],
  ['transfer', -100n, 'world:v1 ethereum:ETH 100'],
  ['change', 40n, 'world:v1 ethereum:ETH -40'],
  ['fee', -2n, 'network-fees:v1 ethereum:ETH 2'],
  ['rebate', 3n, 'rebates:v1 ethereum:ETH -3'],
  ['mint', 5n, 'mints:v1 ethereum:ETH -5'],
];

test.for(CONTRAS)('a %s of %s has its contra in the same entry: %s', ([kind, amount, contra]) => {
  const entry = entryOf(HEAD, [balanceChange(amount, { kind })]);
  expect(linesOf(entry)).toEqual([`v1/acc-1/adr-1 ethereum:ETH ${amount}`, contra]);
  expect(unbalancedAssets(entry.postings)).toEqual([]);
});

test('an entry says what it was posted for, and its accounts are of its view and vault', () => {
  const head: EntryHead = { ...HEAD, view: 'chain', cause: 'chain', vaultId: VaultId('v2') };
  const { postings, ...rest } = entryOf(head, [balanceChange(5n, { kind: 'rebate' })]);
  expect(rest).toEqual(head);
  expect(postings.map(({ account, change }) => [account.view, account.vaultId, change])).toEqual([
    ['chain', 'v2', 'rebate'],
    ['chain', 'v2', 'rebate'],
  ]);
});

test('suspense is the only counter-account of a suspense entry, for any kind', () => {
  const entry = entryOf({ ...HEAD, cause: 'suspense' }, [
    balanceChange(-30n),
    balanceChange(-2n, { kind: 'fee' }),
  ]);
  expect(linesOf(entry)).toEqual([
    'v1/acc-1/adr-1 ethereum:ETH -30',
    'suspense:v1 ethereum:ETH 30',
    'v1/acc-1/adr-1 ethereum:ETH -2',
    'suspense:v1 ethereum:ETH 2',
  ]);
});

test('changes of one kind at one position are one line, and different memos are not', () => {
  const entry = entryOf(HEAD, [
    balanceChange(60n),
    balanceChange(40n),
    balanceChange(1n, { memo: Memo('bob') }),
  ]);
  expect(linesOf(entry)).toEqual([
    'v1/acc-1/adr-1 ethereum:ETH 100',
    'world:v1 ethereum:ETH -101',
    'v1/acc-1/adr-1/bob ethereum:ETH 1',
  ]);
});

test('names that run together are different positions all the same', () => {
  const at = (accountId: string | null, addressId: string | null) =>
    balanceChange(1n, {
      accountId: accountId === null ? null : AccountId(accountId),
      addressId: addressId === null ? null : AddressId(addressId),
    });
  const vaultAssets = [
    at('1:a', 'b'),
    at('1:a1', 'b'),
    at('1:a1:b', null),
    at('-', null),
    at(null, '-'),
  ];
  const entry = entryOf(HEAD, [...vaultAssets, ...vaultAssets]);
  const positions = entry.postings.filter(({ account }) => account.kind === 'position');
  expect(
    positions.map(({ account, amount }) => [account.accountId, account.addressId, amount]),
  ).toEqual(vaultAssets.map(({ accountId, addressId }) => [accountId, addressId, 2n]));
});

test('account-level and vault-level changes keep their level', () => {
  const entry = entryOf(HEAD, [
    balanceChange(-1n, { addressId: null }),
    balanceChange(-2n, { addressId: null, accountId: null }),
  ]);
  expect(linesOf(entry)).toEqual([
    'v1/acc-1 ethereum:ETH -1',
    'world:v1 ethereum:ETH 3',
    'v1 ethereum:ETH -2',
  ]);
});

test('a line that nets to zero is left out, and a zero change leaves no line', () => {
  const entry = entryOf(HEAD, [balanceChange(5n), balanceChange(-5n), balanceChange(0n)]);
  expect(entry.postings).toEqual([]);
});

test('78 digits post exactly', () => {
  const huge = 10n ** 77n + 1n;
  const entry = entryOf(HEAD, [balanceChange(huge), balanceChange(1n)]);
  expect(linesOf(entry)[0]).toBe(`v1/acc-1/adr-1 ethereum:ETH ${huge + 1n}`);
});

describe('a reversal', () => {
  const list = [
    balanceChange(-30n),
    balanceChange(-2n, { kind: 'fee' }),
    balanceChange(4n, { kind: 'mint', asset: AssetId('neo:GAS') }),
  ];

  test('mirrors the entry line by line and names it', () => {
    const entry = entryOf(HEAD, list);
    const reversal = reversalOf({ ...HEAD, entryId: 8, reverses: 7 }, list);
    expect(reversal.reverses).toBe(entry.entryId);
    expect(reversal.postings).toEqual(
      entry.postings.map((line) => ({ ...line, amount: negated(line.amount) })),
    );
  });

  test('leaves nothing together with what it takes back', () => {
    const both = [
      ...entryOf(HEAD, list).postings,
      ...reversalOf({ ...HEAD, reverses: 7 }, list).postings,
    ];
    const sum = positionSums({ ...HEAD, postings: both });
    expect([...sum.values()].every((amount) => amount === 0n)).toBe(true);
  });
});

test('position sums count custody positions alone, per asset', () => {
  const entry = entryOf(HEAD, [
    balanceChange(-30n),
    balanceChange(-2n, { kind: 'fee' }),
    balanceChange(9n, { asset: AssetId('ethereum:USDC') }),
  ]);
  expect([...positionSums(entry)]).toEqual([
    ['ethereum:ETH', -32n],
    ['ethereum:USDC', 9n],
  ]);
});

test('an unbalanced set of postings is found by its assets', () => {
  const [first] = entryOf(HEAD, [balanceChange(1n)]).postings;
  const lopsided: Posting[] = first === undefined ? [] : [first];
  expect(unbalancedAssets(lopsided)).toEqual(['ethereum:ETH']);
});

test('a contra is its vault’s: it has no account, address or memo', () => {
  const memo = Memo('alice');
  const entry = entryOf(HEAD, [
    balanceChange(5n, { memo }),
    balanceChange(-2n, { kind: 'fee', memo }),
  ]);
  const vaultAssets = entry.postings.map(
    ({ account: { kind, accountId, addressId, memo: to } }) => [kind, accountId, addressId, to],
  );
  expect(vaultAssets).toEqual([
    ['position', 'acc-1', 'adr-1', 'alice'],
    ['world', null, null, null],
    ['position', 'acc-1', 'adr-1', 'alice'],
    ['network-fees', null, null, null],
  ]);
});
