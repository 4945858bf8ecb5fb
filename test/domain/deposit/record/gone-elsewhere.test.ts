import { expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { asOfDeposit } from '../../../../src/domain/deposit/record/gone-elsewhere.ts';
import { AddressId, BlockchainHash, CreditId, TransactionId } from '../../../../src/domain/ids.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { received } from '../../../store/evidence.ts';
import { DUE } from '../../records.ts';

const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: Amount(100n),
  creditedAt: 9,
  reference: null,
};
const GONE = { status: 'rolledback', blockchainHash: BlockchainHash('0xb2'), updatedAt: 9 };

test.for<[why: string, deposit: Partial<Deposit>, record: Partial<CustodyTransaction>, is: string]>(
  [
    ['under another hash', {}, GONE, '0xa1 adr-1'],
    ['at another address', {}, { ...GONE, addressId: AddressId('adr-2') }, '0xa1 adr-1'],
    ['before the credit', {}, { ...GONE, updatedAt: 8 }, '0xb2 adr-1'],
    ['of a deposit without a credit', { credit: null }, GONE, '0xb2 adr-1'],
    ['of another transaction', {}, { ...GONE, transactionId: TransactionId('x') }, '0xb2 adr-1'],
    ['and mined again', {}, { ...GONE, status: 'confirmed' }, '0xb2 adr-1'],
  ],
)('a record rolled back %s', ([, deposit, record, is]) => {
  const shown = asOfDeposit({ ...DUE, credit: CREDIT, ...deposit }, received(record));
  expect(`${shown.blockchainHash} ${shown.addressId}`).toBe(is);
});
