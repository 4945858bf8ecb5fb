import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { postFor, unpost, type Booked } from '../../../src/domain/withdrawal/booking.ts';
import {
  claimDeposits,
  handleOutgoing,
  disclaimDeposits,
  minedAgain,
} from '../../../src/domain/withdrawal/outgoing-handler.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import {
  EMPTY_HASH_STATE,
  type RuleContext,
  type HashState,
} from '../../../src/domain/hash/hash-state.ts';
import { CreditId, DepositId, TransactionId } from '../../../src/domain/ids.ts';
import type {
  BalanceChange,
  OutgoingEvent,
  OutgoingNotification,
} from '../../../src/domain/fact/notification.ts';
import type { OwnHashCertainty } from '../../../src/domain/withdrawal/own-hash.ts';
import type {
  CustodyKnowledge,
  Withdrawal,
  WithdrawalStatus,
} from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange } from '../../store/evidence.ts';
import { runs } from '../hash/event-runs.ts';
import { ruleContext, DUE, outgoing, postedBy, withdrawal } from '../records.ts';

const { network, blockchainHash } = DUE;
const TRANSFER = balanceChange(-30n);
const FEE = balanceChange(-2n, { kind: 'fee' });
const NO_HASH = { network: null, blockchainHash: null };
const SEEN_NOW = { firstSeenAt: 99, updatedAt: 99 };
/** Its active entry is 5. */
const POSTED: Withdrawal = { ...withdrawal('mined', [TRANSFER, FEE]), entryId: 5 };
const BURNED: Withdrawal = { ...withdrawal('failed', [FEE]), entryId: 5 };

function postedEntry({ withdrawal: known }: Booked): string {
  return `${known.entryId}: ${known.posted.map(({ amount }) => String(amount)).join(' ')}`;
}

describe('what is posted for a transaction', () => {
  const POSTINGS: [
    what: string,
    more: Partial<Withdrawal>,
    list: BalanceChange[],
    entries: string[],
    is: string,
  ][] = [
    ['its changes', {}, [TRANSFER, FEE], ['mined by webhook: -30 -2'], '7000000: -30 -2'],
    ['nothing, where nothing moved', {}, [], [], 'null: '],
    ['nothing, without a hash', { blockchainHash: null }, [TRANSFER], [], 'null: '],
    ['nothing, without a network', { network: null }, [TRANSFER], [], 'null: '],
  ];

  test.for(POSTINGS)('%s', ([, more, list, entries, is]) => {
    const booked = postFor(
      { ...withdrawal('mined', []), ...more },
      { cause: 'mined', list },
      ruleContext(),
    );
    expect(postedBy(booked.entries)).toEqual(entries);
    expect(postedEntry(booked)).toBe(is);
  });

  test.for<[what: string, before: Withdrawal, entries: string[], is: string]>([
    ['what was mined', POSTED, ['mined by webhook takes back 5: 30 2'], 'null: '],
    ['what was burned', BURNED, ['failed-fee by webhook takes back 5: 2'], 'null: '],
    ['nothing that does not stand', { ...POSTED, entryId: null }, [], 'null: -30 -2'],
    ['nothing without a hash', { ...POSTED, blockchainHash: null }, [], '5: -30 -2'],
    ['nothing without a network', { ...POSTED, network: null }, [], '5: -30 -2'],
  ])('is taken back: %s', ([, before, entries, is]) => {
    const booked = unpost(before, ruleContext());
    expect(postedBy(booked.entries)).toEqual(entries);
    expect(postedEntry(booked)).toBe(is);
  });
});

function decide(
  known: Withdrawal | undefined,
  notification: OutgoingNotification,
  more: { hashState?: Partial<HashState>; now?: Partial<RuleContext> } = {},
) {
  const hashState = { ...EMPTY_HASH_STATE, ...more.hashState };
  return handleOutgoing(hashState, known, { notification, now: ruleContext(more.now) });
}

const HASHED = { network, blockchainHash };
const MINED = outgoing('mined', { ...HASHED, changes: [TRANSFER, FEE] });

describe('what an event of an own transaction does', () => {
  const STEPS: [type: OutgoingEvent, status: WithdrawalStatus | null][] = [
    ['approval-pending', 'approval-pending'],
    ['approved', null],
    ['pending', 'requested'],
    ['requested', 'requested'],
    ['inited', 'inited'],
    ['to-sign', 'to-sign'],
    ['signed', 'signed'],
    ['submitted', 'submitted'],
    ['warning', null],
    ['cancelled', 'cancelled'],
  ];

  test.for(STEPS)('%s posts nothing, and is asked about', ([type, status]) => {
    const { withdrawals, entries } = decide(undefined, outgoing(type, { changes: [TRANSFER] }));
    expect(withdrawals).toEqual([{ ...withdrawal(status, []), ...NO_HASH, ...SEEN_NOW }]);
    expect(entries).toEqual([]);
  });

  const BOOKINGS: [
    why: string,
    known: Withdrawal | undefined,
    event: OutgoingNotification,
    entries: string[],
  ][] = [
    ['mined', undefined, MINED, ['mined by webhook: -30 -2']],
    ['mined without changes', undefined, { ...MINED, changes: null }, []],
    [
      'mined after a burned fee',
      BURNED,
      MINED,
      ['failed-fee by webhook takes back 5: 2', 'mined by webhook: -30 -2'],
    ],
    ['mined again', POSTED, MINED, []],
    [
      'rolled back',
      POSTED,
      outgoing('rolledback', HASHED),
      ['mined by webhook takes back 5: 30 2'],
    ],
    ['replaced', POSTED, outgoing('replaced', HASHED), ['mined by webhook takes back 5: 30 2']],
    ['failed after it was mined', POSTED, outgoing('failed', HASHED), []],
    ['mined, and denied by the API', { ...withdrawal(null), custody: 'unknown' }, MINED, []],
  ];

  test.for(BOOKINGS)('%s', ([, known, event, entries]) => {
    expect(postedBy(decide(known, event).entries)).toEqual(entries);
  });

  test('a record of a transaction that the API denied before is booked', () => {
    const denied: Withdrawal = { ...withdrawal('submitted', []), custody: 'unknown' };
    const { entries, withdrawals } = decide(denied, MINED, { now: { source: 'api' } });
    expect(postedBy(entries)).toEqual(['mined by api: -30 -2']);
    expect(withdrawals.map(({ custody }) => custody)).toEqual(['known']);
  });
});

describe('what a transaction’s hash is after an event', () => {
  const CLAIMED = {
    ...HASHED,
    transactionId: TransactionId('wd-tx'),
    certainty: 'claimed',
  } as const;
  const OTHERS = { ...CLAIMED, transactionId: TransactionId('wd-2') };
  const DENIED: Withdrawal = { ...withdrawal(null), custody: 'unknown' };

  const HASHES: [
    why: string,
    known: Withdrawal | undefined,
    event: OutgoingNotification,
    more: { hashState?: Partial<HashState>; now?: Partial<RuleContext> },
    certainties: string[],
  ][] = [
    ['claimed', undefined, MINED, {}, ['claimed']],
    ['confirmed by the API', undefined, MINED, { now: { source: 'api' } }, ['confirmed']],
    ['refuted where the API denies its transaction', DENIED, MINED, {}, ['refuted']],
    ['none without a hash', undefined, outgoing('signed', { network }), {}, []],
    ['none without a network', undefined, outgoing('submitted', { blockchainHash }), {}, []],
    ['no news', undefined, MINED, { hashState: { ownHashes: [CLAIMED] } }, []],
    [
      'news beside another transaction’s',
      undefined,
      MINED,
      { hashState: { ownHashes: [OTHERS] } },
      ['claimed'],
    ],
  ];

  const DISOWNED = { hashState: { ownHashes: [{ ...OTHERS, certainty: 'disowned' as const }] } };

  test.for<[custody: CustodyKnowledge, certainty: OwnHashCertainty]>([
    ['unasked', 'disowned'],
    ['doubted', 'claimed'],
    ['known', 'claimed'],
    ['unknown', 'refuted'],
  ])('of an %s transaction that names a disowned hash: %s', ([custody, certainty]) => {
    const { ownHashes } = decide({ ...withdrawal('signed', []), custody }, MINED, DISOWNED);
    expect(ownHashes.map((one) => one.certainty)).toEqual([certainty]);
  });

  test.for(HASHES)('%s', ([, known, event, more, certainties]) => {
    const { ownHashes } = decide(known, event, more);
    expect(ownHashes.map(({ certainty }) => certainty)).toEqual(certainties);
  });

  test('an event with a hash is remembered at its hash, and none without', () => {
    expect(decide(undefined, MINED).sightings.map(({ seen }) => seen)).toEqual([
      runs('mined::wd-tx'),
    ]);
    expect(decide(undefined, outgoing('signed', NO_HASH)).sightings).toEqual([]);
  });
});

describe('what the API said of a transaction', () => {
  const known = (more: Partial<Withdrawal>): Withdrawal => ({
    ...POSTED,
    custody: 'known',
    ...more,
  });
  const ownHashes = [
    { ...HASHED, transactionId: TransactionId('wd-tx'), certainty: 'claimed' },
  ] as const;

  test.for<[why: string, known: Withdrawal, event: OutgoingNotification, custody: string]>([
    ['stands beside a warning', known({}), outgoing('warning'), 'known'],
    [
      'stands beside a step on the way',
      known({ status: 'signed' }),
      outgoing('submitted', HASHED),
      'known',
    ],
    ['stands beside the same end', known({}), MINED, 'known'],
    ['is asked for anew of another end', known({}), outgoing('rolledback', HASHED), 'doubted'],
    [
      'is asked for anew of an end',
      known({ status: 'submitted' }),
      outgoing('cancelled'),
      'doubted',
    ],
    ['stands that it does not know it', known({ custody: 'unknown' }), MINED, 'unknown'],
  ])('%s', ([, before, event, custody]) => {
    const { withdrawals } = decide(before, event, { hashState: { ownHashes } });
    expect(withdrawals.map((one) => one.custody)).toEqual([custody]);
  });

  test('is asked for again when another hash is named', () => {
    const { withdrawals } = decide(known({ status: 'signed' }), outgoing('submitted', HASHED));
    expect(withdrawals.map((one) => one.custody)).toEqual(['doubted']);
  });
});

describe('mined reported twice', () => {
  test.for<[why: string, before: Withdrawal, event: OutgoingNotification, differs: boolean]>([
    ['alike', POSTED, MINED, false],
    ['in another order', POSTED, { ...MINED, changes: [FEE, TRANSFER] }, false],
    ['otherwise', POSTED, { ...MINED, changes: [FEE] }, true],
    ['without changes', POSTED, { ...MINED, changes: null }, false],
    [
      'with other changes of an event that is not mined',
      POSTED,
      outgoing('failed', { changes: [FEE] }),
      false,
    ],
    [
      'otherwise, but not mined before',
      { ...POSTED, status: 'submitted' },
      { ...MINED, changes: [FEE] },
      false,
    ],
  ])('%s', ([, before, event, differs]) => {
    expect(minedAgain(before, event).map(({ type }) => type)).toEqual(
      differs ? ['amount_changed'] : [],
    );
  });
});

describe('deposits of a hash that is our own', () => {
  const CREDIT = {
    creditId: CreditId('crd_1'),
    amount: Amount(100n),
    creditedAt: 9,
    reference: null,
  };
  const CREDITED: Deposit = { ...DUE, credit: CREDIT, creditsIssued: 1, state: 'credited' };
  const OWN: Deposit = { ...DUE, ownTransfer: true, state: 'internal' };
  const creditInternal = {
    policy: { default: { confirmations: 6, creditInternal: true }, networks: {}, assets: {} },
  };

  const CLAIMS: [
    why: string,
    deposit: Deposit,
    now: Partial<RuleContext>,
    states: string[],
    found: string[],
  ][] = [
    ['become internal', DUE, {}, ['internal at 99'], []],
    ['are left alone once they are', OWN, {}, [], []],
    ['keep a credit, and alarm', CREDITED, {}, ['credited at 99'], ['critical status_mismatch']],
    ['keep a credit that the policy allows', CREDITED, creditInternal, ['credited at 99'], []],
  ];

  test.for(CLAIMS)('%s', ([, deposit, now, states, found]) => {
    const claimed = claimDeposits([deposit], 'wd-tx', ruleContext(now));
    expect(
      claimed.evaluated.map((one) => `${one.deposit.state} at ${one.deposit.updatedAt}`),
    ).toEqual(states);
    expect(claimed.found.map(({ severity, type }) => `${severity} ${type}`)).toEqual(found);
  });

  test('turn out not to be own: they are verified again, credits keep their match, others are left alone', () => {
    const credited: Deposit = { ...CREDITED, ownTransfer: true, depositId: DepositId('dep_2') };
    const { evaluated, found } = disclaimDeposits([DUE, OWN, credited], ruleContext());
    expect(
      evaluated.map(({ deposit }) => [
        deposit.depositId,
        deposit.state,
        deposit.ownTransfer,
        deposit.verifiedAt,
        deposit.custodyConfirmations,
        deposit.updatedAt,
      ]),
    ).toEqual([
      ['dep_1', 'verifying', false, null, 0, 99],
      ['dep_2', 'credited', false, 5, 6, 99],
    ]);
    expect(found).toEqual([]);
  });

  test('are claimed by an event of its hash alone', () => {
    const deposits = [DUE];
    const states = (event: OutgoingNotification): string[] =>
      decide(undefined, event, { hashState: { deposits } }).deposits.map(({ state }) => state);
    expect(states(MINED)).toEqual(['internal']);
    expect(states(outgoing('signed'))).toEqual([]);
  });
});
