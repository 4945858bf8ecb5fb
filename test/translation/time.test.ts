import { expect, test } from 'vitest';
import { AddressId, VaultId } from '../../src/domain/ids.ts';
import { newestFirst } from '../../src/reconcile/list/custody-list.ts';
import { addressMovementOf } from '../../src/translation/address-transaction.ts';
import { transactionOf } from '../../src/translation/transaction.ts';
import { addressTransaction, transactionRecord } from '../../src/wire/transaction.ts';
import { inMachineZone } from '../machine-zone.ts';

function transactionAt(text: string) {
  return transactionRecord.parse({
    transactionId: 'tx-1',
    vaultId: 'v1',
    type: 'incoming',
    status: 'confirmed',
    network: 'ethereum',
    createdAt: text,
    updatedAt: text,
  });
}

function minedAt(timestamp: unknown): number | null {
  const row = { blockchainHash: '0xa1', network: 'ethereum', status: 'confirmed' };
  const wire = addressTransaction.parse({ ...row, confirmations: 1, timestamp });
  return addressMovementOf(wire, { vaultId: VaultId('v1'), addressId: AddressId('adr-1') }).minedAt;
}

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

test.for<[text: string, at: number]>([
  ['2026-01-02T03:04:05', AT],
  ['2026-01-02 03:04:05', AT],
  ['2026-01-02T03:04:05.678', AT + 678],
  ['2026-01-02T03:04', AT - 5_000],
  ['2026-01-02', Date.UTC(2026, 0, 2)],
  ['2026-01-02T03:04:05Z', AT],
  ['2026-01-02T03:04:05.678901Z', AT + 678],
  ['2026-01-02T12:04:05+09:00', AT],
  ['2026-01-02T12:04:05+0900', AT],
  ['2026-01-02 03:04:05.000+00', AT],
])('on a machine in Tokyo, %s of the custody API is the same moment as in UTC', ([text, at]) => {
  inMachineZone('Asia/Tokyo', () => {
    expect(transactionOf(transactionAt(text))).toMatchObject({ createdAt: at, updatedAt: at });
    expect(minedAt(text)).toBe(at);
    expect(newestFirst(at).isPastEnd(transactionAt(text))).toBe(false);
    expect(newestFirst(at + 1).isPastEnd(transactionAt(text))).toBe(true);
  });
});

test.for(['Jan 2 2026 03:04:05', '1/2/2026'])(
  '%s is unreadable: its moment would depend on the machine',
  (text) => {
    const { createdAt, updatedAt } = transactionOf(transactionAt(text));
    expect({ createdAt, updatedAt, minedAt: minedAt(text) }).toEqual({
      createdAt: undefined,
      updatedAt: 0,
      minedAt: null,
    });
  },
);

test('an address’s list may give times as Unix milliseconds', () => {
  expect(minedAt(AT)).toBe(AT);
});
