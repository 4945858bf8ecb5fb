import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { handleIncoming } from '../../../../src/domain/deposit/incoming-handler.ts';
import {
  EMPTY_HASH_STATE,
  type ChangeSet,
  type HashState,
} from '../../../../src/domain/hash/hash-state.ts';
import { AddressId, CreditId, DepositId, Memo, TransactionId } from '../../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { decided, FORGED, NOBODY, outcomeOf, USDC, type Given } from './correcting.ts';
import { incomingOf } from '../incoming/incoming.ts';
import { ruleContext, DUE, postedBy } from '../../records.ts';

const CREDITED_WRONG = {
  credit: {
    creditId: CreditId('crd_1'),
    amount: Amount(9000n),
    reference: null,
    creditedAt: 7,
  },
  creditsIssued: 1,
  state: 'credited',
} as const;
const CREDITED_RIGHT = {
  ...CREDITED_WRONG,
  credit: { ...CREDITED_WRONG.credit, amount: Amount(100n) },
} as const;

const REPOSTED = ['incoming by api takes back 5: -9000', 'incoming by api: 100'];

describe('the custody API’s record puts a deposit right', () => {
  test.for<[why: string, given: Given, is: string[]]>([
    [
      'another amount, as deep as the policy wants: it is credited',
      {},
      [
        'credited 100 ethereum:ETH dep-tx',
        ...REPOSTED,
        'credit 100',
        'amount_mismatch 100 9000 corrected',
      ],
    ],
    [
      'another amount, not deep enough at the API: it waits',
      { record: { confirmations: 5 } },
      ['confirming 100 ethereum:ETH dep-tx', ...REPOSTED, 'amount_mismatch 100 9000 corrected'],
    ],
    [
      'another id, and nothing is posted again',
      {
        deposit: { amount: DUE.amount, transactionId: NOBODY },
        posted: [balanceChange(100n)],
      },
      ['credited 100 ethereum:ETH dep-tx', 'credit 100', 'unknown_to_custody null null corrected'],
    ],
    [
      'another amount and another id',
      { deposit: { transactionId: NOBODY } },
      [
        'credited 100 ethereum:ETH dep-tx',
        ...REPOSTED,
        'credit 100',
        'amount_mismatch 100 9000 corrected',
      ],
    ],
    [
      'an amount that was credited as the API says: the books follow, the feed says nothing',
      { deposit: CREDITED_RIGHT },
      ['credited 100 ethereum:ETH dep-tx', ...REPOSTED, 'amount_mismatch 100 9000 corrected'],
    ],
    [
      'an asset that nobody told of, beside one that was not paid',
      { deposit: { asset: USDC }, posted: [{ ...FORGED, asset: USDC }] },
      [
        'verifying 0 ethereum:USDC dep-tx',
        'credited 100 ethereum:ETH dep-tx',
        ...REPOSTED,
        'credit 100',
        'amount_mismatch 100 0 corrected',
      ],
    ],
    [
      'what webhooks called change, and is none',
      { deposit: { change: true, state: 'internal' } },
      [
        'credited 100 ethereum:ETH dep-tx',
        ...REPOSTED,
        'credit 100',
        'amount_mismatch 100 9000 corrected',
      ],
    ],
    [
      'what the API calls change',
      { record: { changes: [balanceChange(100n, { kind: 'change' })] } },
      ['internal 100 ethereum:ETH dep-tx', ...REPOSTED, 'amount_mismatch 100 9000 corrected'],
    ],
    [
      'decimals that are not the asset’s: a person has to look',
      { record: { changes: [balanceChange(100n, { decimals: 6 })] }, pinned: 18 },
      [
        'held decimals_changed 100 ethereum:ETH dep-tx',
        ...REPOSTED,
        'amount_mismatch 100 9000 corrected',
        'decimals_changed null null',
      ],
    ],
    [
      'decimals that a webhook alone told otherwise',
      {
        deposit: { decimalsChanged: true, state: 'held', reason: 'decimals_changed' },
        record: { changes: [balanceChange(100n, { decimals: 18 })] },
        pinned: 18,
      },
      [
        'credited 100 ethereum:ETH dep-tx',
        ...REPOSTED,
        'credit 100',
        'amount_mismatch 100 9000 corrected',
      ],
    ],
  ])('%s', ([, given, is]) => {
    expect(outcomeOf(given)).toEqual(is);
  });

  test.for<[known: number | null, shown: number | undefined, is: number | null]>([
    [null, 30, 30],
    [null, undefined, null],
    [30, undefined, 30],
    [30, 40, 30],
  ])('known as created at %s, and shown at %s: %s', ([known, shown, is]) => {
    const { deposits } = decided({
      deposit: { custodyCreatedAt: known },
      record: shown === undefined ? {} : { createdAt: shown },
    });
    expect(deposits.map(({ custodyCreatedAt }) => custodyCreatedAt)).toEqual([is]);
  });

  test('a memo that nothing attributes at the API holds it', () => {
    const { deposits } = decided({ memo: Memo('7') });
    expect(deposits.map(({ state, reason }) => [state, reason])).toEqual([
      ['held', 'unattributed_memo'],
    ]);
  });

  test('approvals of the wrong amount are gone, and those of a wrong id alone stay', () => {
    const approvals = [{ person: 'ann', reason: 'fine', at: 1 }];
    const amount = decided({ deposit: { approvals } });
    expect(amount.deposits[0]?.approvals).toEqual([]);
    const deposit = { approvals, amount: DUE.amount, transactionId: NOBODY };
    const id = decided({ deposit, posted: [balanceChange(100n)] });
    expect(id.deposits[0]?.approvals).toEqual(approvals);
  });

  test('its other breaks are resolved, and only a person resolves the correction’s own', () => {
    const { healed, found } = decided({});
    const keys = healed.map(({ key }) => key);
    expect(keys).toContain('["amount_mismatch","dep_1"]');
    expect(keys).toContain('["amount_changed","dep_1"]');
    expect(keys).not.toContain(found[0]?.key);
    expect(found[0]?.severity).toBe('critical');
  });
});

describe('it reports and corrects nothing', () => {
  const DIFFERS = ['amount_mismatch 100 9000'];
  const ELSEWHERE = { ...DUE, depositId: DepositId('dep_2'), asset: USDC, ...CREDITED_WRONG };

  test.for<[why: string, given: Given, is: string[]]>([
    ['when the difference is not on record', { since: null }, DIFFERS],
    ['when the difference is younger than the grace', { since: 90 }, DIFFERS],
    ['when another amount was credited', { deposit: CREDITED_WRONG }, DIFFERS],
    [
      'when another asset at the place was credited, which the API does not show',
      { others: [ELSEWHERE] },
      DIFFERS,
    ],
    ['when the API omits what moved', { record: { changes: null } }, []],
    ['when the API has it in the mempool', { record: { status: 'mempool' } }, []],
    [
      'when the API has it rolled back',
      { record: { status: 'rolledback' } },
      ['status_mismatch null null'],
    ],
    ['when the API does not know it', { record: null }, ['unknown_to_custody 0 9000']],
    [
      'when the API has it at another address',
      { record: { addressId: AddressId('adr-2') } },
      ['unknown_to_custody 0 9000'],
    ],
    [
      'when the API has one without a transaction at another address',
      { deposit: { transactionId: null }, record: { addressId: AddressId('adr-2') } },
      ['unknown_to_custody 0 9000'],
    ],
    [
      'when it is credited for another id',
      { deposit: { transactionId: NOBODY, ...CREDITED_RIGHT } },
      ['unknown_to_custody 0 9000'],
    ],
    [
      'when a record under another id does not show its asset',
      { deposit: { transactionId: NOBODY, asset: USDC } },
      ['unknown_to_custody 0 9000'],
    ],
    [
      'when the record is of another deposit by now',
      {
        deposit: { transactionId: NOBODY },
        record: { addressId: AddressId('adr-2'), transactionId: TransactionId('other') },
      },
      [],
    ],
  ])('%s', ([, given, is]) => {
    expect(outcomeOf(given)).toEqual(is);
  });

  test('when it left the chain', () => {
    expect(outcomeOf({ deposit: { evidence: 'none' } })).toEqual(['status_mismatch null null']);
  });
});

describe('after a correction', () => {
  function after(): HashState {
    const { deposits, sightings } = decided({ record: { confirmations: 5 } });
    return { ...EMPTY_HASH_STATE, deposits, sightings };
  }
  function webhook(changes: readonly BalanceChange[], confirmations = 2_000_000): ChangeSet {
    return handleIncoming(after(), { ...incomingOf(changes), confirmations }, ruleContext());
  }

  test('a deeper webhook with another amount posts nothing and leaves a break', () => {
    const { entries, deposits, found } = webhook([balanceChange(8n)]);
    expect(postedBy(entries)).toEqual([]);
    expect(deposits.map(({ amount }) => amount)).toEqual([100n]);
    expect(deposits[0]?.verifiedAt).toBe(99);
    expect(found.map(({ type, expected, actual }) => [type, expected, actual])).toEqual([
      ['amount_changed', 8n, 100n],
    ]);
  });

  test('a webhook that leaves the asset out takes nothing away', () => {
    const { entries, deposits, found } = webhook([balanceChange(8n, { asset: USDC })]);
    expect(postedBy(entries)).toEqual([]);
    expect(deposits.map(({ asset, amount }) => `${amount} ${asset}`).sort()).toEqual([
      '0 ethereum:USDC',
      '100 ethereum:ETH',
    ]);
    expect(found.map(({ type }) => type)).toEqual(['amount_changed', 'amount_changed']);
  });

  test('a webhook with a fee of its own posts nothing, and its break says which amount counts', () => {
    const { entries, found } = webhook([balanceChange(100n), balanceChange(-5n, { kind: 'fee' })]);
    expect(postedBy(entries)).toEqual([]);
    expect(found.map(({ detail }) => detail).join()).toMatch(/what the custody API says stands$/);
  });

  test('a webhook with other decimals does not hold it', () => {
    const now = ruleContext({ pinnedDecimals: () => 18 });
    const { deposits } = handleIncoming(
      after(),
      incomingOf([balanceChange(100n, { decimals: 6 })]),
      now,
    );
    expect(deposits[0]?.decimalsChanged).toBe(false);
  });

  test('a rollback ends it: webhooks decide the next epoch again', () => {
    const gone = handleIncoming(after(), incomingOf(null, 'rollback'), ruleContext());
    const hashState = { ...EMPTY_HASH_STATE, deposits: gone.deposits, sightings: gone.sightings };
    const again = handleIncoming(hashState, incomingOf([balanceChange(8n)]), ruleContext());
    expect(again.deposits.map(({ amount }) => amount)).toEqual([8n]);
  });
});
