import { expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { rolledBack } from '../../../../src/domain/deposit/deposit.ts';
import { onChainAddressOf } from '../../../../src/domain/deposit/record/on-chain-address.ts';
import { AddressId } from '../../../../src/domain/ids.ts';
import { decided } from './correcting.ts';
import { DUE } from '../../records.ts';

/** Not yet verified; its first webhook named a false on-chain address. */
const FORGED: Deposit = { ...DUE, verifiedAt: null, reportedAddress: '0xforged' };

/** The deposit of the change set, and the on-chain address in its credit. */
function verified(deposit: Partial<Deposit>, record: Partial<CustodyTransaction>) {
  const { deposits, items, outcome } = decided({ deposit: { ...FORGED, ...deposit }, record });
  const [after] = deposits;
  return {
    outcome: outcome.kind,
    networkAddress: after?.networkAddress,
    reportedAddress: after?.reportedAddress,
    credited: items.map((item) => item.deposit.networkAddress),
  };
}

test.for<[why: string, deposit: Partial<Deposit>, named: string | undefined, is: unknown[]]>([
  ['replaces a false one', {}, '0xtrue', ['0xtrue', '0xforged']],
  ['replaces none', { reportedAddress: null }, '0xtrue', ['0xtrue', null]],
  ['confirms the same one', { reportedAddress: '0xABCD' }, '0xAbCd', ['0xAbCd', null]],
  ['stays unknown when the record names none', {}, undefined, [null, '0xforged']],
  [
    'stays that of the first record',
    { networkAddress: '0xtrue', reportedAddress: null },
    '0xother',
    ['0xtrue', null],
  ],
])('the custody API’s on-chain address %s', ([_, deposit, named, [known, reported]]) => {
  const record = named === undefined ? {} : { networkAddress: named };
  expect(verified(deposit, record)).toEqual({
    outcome: 'matched',
    networkAddress: known,
    reportedAddress: reported,
    credited: [known],
  });
});

test('a record at another address id names no on-chain address of this deposit', () => {
  const record = { addressId: AddressId('adr-9'), networkAddress: '0xother' };
  expect(decided({ deposit: FORGED, record, since: null })).toMatchObject({
    outcome: { kind: 'break' },
    deposits: [],
  });
});

test('a correction also takes the on-chain address of the record', () => {
  const { reportedAddress } = FORGED;
  const { deposits } = decided({ deposit: { reportedAddress }, record: { networkAddress: '0x7' } });
  expect(deposits).toMatchObject([
    { amount: 100n, networkAddress: '0x7', reportedAddress: '0xforged' },
  ]);
});

test('a rollback keeps the on-chain address: it belongs to the address id', () => {
  expect(rolledBack({ ...DUE, networkAddress: '0xtrue' }, 1).networkAddress).toBe('0xtrue');
});

test('the shown on-chain address is the custody API’s, else the reported one', () => {
  expect(onChainAddressOf(FORGED)).toBe('0xforged');
  expect(onChainAddressOf({ ...FORGED, networkAddress: '0xtrue' })).toBe('0xtrue');
  expect(onChainAddressOf(DUE)).toBeNull();
});
