import { describe, expect, test } from 'vitest';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { handleDepositRecord } from '../../../../src/domain/deposit/record/verification.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { EMPTY_HASH_STATE } from '../../../../src/domain/hash/hash-state.ts';
import { CreditId } from '../../../../src/domain/ids.ts';
import { received } from '../../../store/evidence.ts';
import { DUE, ruleContext } from '../../records.ts';

const OWN_KEY = '["status_mismatch","dep_1","mempool"]';
const USUAL_KEY = '["status_mismatch","dep_1"]';
const CREDITED_AT = 50;

/** Credited at 50; then a webhook rolled it back. */
const ROLLED_BACK: Deposit = {
  ...DUE,
  evidence: 'none',
  confirmations: 0,
  verifiedAt: null,
  custodyConfirmations: 0,
  credit: {
    creditId: CreditId('crd_1'),
    amount: DUE.amount,
    creditedAt: CREDITED_AT,
    reference: null,
  },
  creditsIssued: 1,
  state: 'credited',
  updatedAt: 60,
};

interface Given {
  readonly deposit?: Partial<Deposit>;
  readonly record?: Partial<CustodyTransaction>;
  /** Since when the break with a key is open. */
  readonly open?: Readonly<Record<string, number>>;
  readonly reportsOnly?: boolean;
}

/** What follows from the record at 99, with a grace period of 10. */
function decided({ deposit = {}, record = {}, open = {}, reportsOnly = false }: Given): string[] {
  const before = { ...ROLLED_BACK, ...deposit };
  const hashState = { ...EMPTY_HASH_STATE, deposits: [before] };
  const correcting = { hashState, openSince: (key: string) => open[key] };
  const { outcome, items, found, healed } = handleDepositRecord(
    before,
    received({ status: 'mempool', confirmations: 0, updatedAt: 40, ...record }),
    {
      graceMs: 10,
      now: ruleContext({ source: 'api' }),
      correcting: reportsOnly ? undefined : correcting,
    },
  );
  return [
    outcome.kind,
    ...items.map(({ kind }) => kind),
    ...found.map(({ key }) => `found ${key}`),
    ...healed.filter(({ key }) => key === OWN_KEY).map(() => 'healed'),
  ];
}

describe('a row in the mempool for a credited deposit that was rolled back', () => {
  test.for<[why: string, given: Given, is: string[]]>([
    ['of before the credit opens a break of its own', {}, ['break', `found ${OWN_KEY}`]],
    [
      'of the moment of the credit reverses it',
      { record: { updatedAt: CREDITED_AT } },
      ['matched', 'reversal', 'healed'],
    ],
    [
      'whose break is younger than the grace period keeps it open',
      { open: { [OWN_KEY]: 90 } },
      ['break', `found ${OWN_KEY}`],
    ],
    [
      'whose break lasted for the grace period reverses the credit',
      { open: { [OWN_KEY]: 89 } },
      ['matched', 'reversal', 'healed'],
    ],
    [
      'does not count the age of another break of the deposit',
      { open: { [USUAL_KEY]: 0 } },
      ['break', `found ${OWN_KEY}`],
    ],
    [
      'that only reports never agrees by age',
      { open: { [OWN_KEY]: 0 }, reportsOnly: true },
      ['break', `found ${OWN_KEY}`],
    ],
  ])('%s', ([, given, is]) => {
    expect(decided(given)).toEqual(is);
  });
});

describe('the break about an older row', () => {
  test.for<[why: string, given: Given, is: string[]]>([
    [
      'ends when the row shows the transaction confirmed, which is another difference',
      { record: { status: 'confirmed' } },
      ['break', `found ${USUAL_KEY}`, 'healed'],
    ],
    [
      'ends when the row agrees with the rollback',
      { record: { status: 'rolledback' } },
      ['matched', 'reversal', 'healed'],
    ],
    ['stays when nothing can be compared', { record: { status: 'failed' } }, ['skipped']],
    [
      'is not opened for a deposit that webhooks call confirmed',
      { deposit: { evidence: 'confirmed' } },
      ['break', `found ${USUAL_KEY}`, 'healed'],
    ],
  ])('%s', ([, given, is]) => {
    expect(decided(given)).toEqual(is);
  });

  test('says why it ended', () => {
    const { healed } = handleDepositRecord(ROLLED_BACK, received({ status: 'rolledback' }), {
      graceMs: 10,
      now: ruleContext({ source: 'api' }),
    });
    const reason = 'the custody API does not show that row any more';
    expect(healed).toContainEqual({ key: OWN_KEY, reason });
  });
});
