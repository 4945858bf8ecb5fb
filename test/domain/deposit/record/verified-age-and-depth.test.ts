import { describe, expect, test } from 'vitest';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { handleDepositRecord } from '../../../../src/domain/deposit/record/verification.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { received } from '../../../store/evidence.ts';
import { DUE, ruleContext } from '../../records.ts';

/** The deposit of `DUE` after the record; undefined when the record changes nothing. */
function after(deposit: Partial<Deposit>, record: Partial<CustodyTransaction>) {
  const now = ruleContext({ source: 'api' });
  const found = handleDepositRecord({ ...DUE, ...deposit }, received(record), { graceMs: 10, now });
  return found.deposits[0];
}

describe('the creation of its transaction', () => {
  test.for<[known: number | null, shown: number | undefined, is: number | null]>([
    [null, undefined, null],
    [null, 30, 30],
    [30, undefined, 30],
    [30, 40, 30],
    [40, 30, 30],
  ])('known as %s, shown as %s: %s', ([known, shown, is]) => {
    const createdAt = shown === undefined ? {} : { createdAt: shown };
    const deposit = after({ custodyCreatedAt: known, verifiedAt: null }, createdAt);
    expect(deposit?.custodyCreatedAt).toBe(is);
  });
});

describe('a verified deposit whose record is at depth 3', () => {
  test.for<[why: string, record: Partial<CustodyTransaction>, verifiedAt: number | null]>([
    ['has no balance changes yet: it stays verified, at that depth', { changes: null }, 5],
    ['has an unknown status: its verification ends', { status: 'failed' }, null],
    [
      'was rolled back just now: its verification ends',
      { status: 'rolledback', updatedAt: 95 },
      null,
    ],
  ])('%s', ([, record, verifiedAt]) => {
    const deposit = after({ custodyConfirmations: 5 }, { confirmations: 3, ...record });
    expect(deposit?.verifiedAt).toBe(verifiedAt);
    expect(deposit?.custodyConfirmations).toBe(verifiedAt === null ? 0 : 3);
  });

  test('keeps its depth if a record without balance changes names none', () => {
    expect(after({ custodyConfirmations: 5 }, { changes: null, confirmations: null })).toBe(
      undefined,
    );
  });
});
