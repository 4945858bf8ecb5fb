import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import {
  handleOutgoingRecord,
  handleUnknownTransaction,
} from '../../../src/domain/withdrawal/record-handler.ts';
import { EMPTY_HASH_STATE, type KeyedHashState } from '../../../src/domain/hash/hash-state.ts';
import { BlockchainHash, TransactionId } from '../../../src/domain/ids.ts';
import type { OwnHash, OwnHashCertainty } from '../../../src/domain/withdrawal/own-hash.ts';
import type { Withdrawal } from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange, sent } from '../../store/evidence.ts';
import { shownOutcome } from '../outcome.ts';
import { chainView, ruleContext, DUE, postedBy, withdrawal } from '../records.ts';

const { network, blockchainHash } = DUE;
const TRANSFER = balanceChange(-30n);
const FEE = balanceChange(-2n, { kind: 'fee' });
const POSTED: Withdrawal = { ...withdrawal('mined', [TRANSFER, FEE]), entryId: 5 };
const DENIED: Withdrawal = { ...withdrawal('submitted', []), custody: 'unknown' };

/** What is known of the hash `0xa1`: who is said to have it, and the fee in its chain view. */
function hashOf(more: Partial<KeyedHashState> = {}): KeyedHashState {
  const sightings = [chainView({ posted: [FEE], entryId: 4 })];
  return { ...EMPTY_HASH_STATE, network, blockchainHash, sightings, ...more };
}

function own(id: string, certainty: OwnHashCertainty): OwnHash {
  return { network, blockchainHash, transactionId: TransactionId(id), certainty };
}

function decide(
  known: Withdrawal | undefined,
  record: Partial<CustodyTransaction>,
  hashes: KeyedHashState[] = [hashOf()],
) {
  const now = ruleContext({ source: 'api' });
  const openSince = (): undefined => undefined;
  return handleOutgoingRecord(known, { record: sent(record), hashes, now, graceMs: 0, openSince });
}

describe('a transaction that the API denied and knows after all', () => {
  const RECORDS: [
    what: string,
    record: Partial<CustodyTransaction>,
    outcome: string,
    entries: string[],
    withdrawals: string[],
  ][] = [
    ['mined', {}, 'matched', ['mined by api: -30 -2'], ['mined known']],
    ['failed', { status: 'failed' }, 'matched', ['failed-fee by api: -2'], ['failed known']],
    ['on its way', { status: 'submitted' }, 'matched', [], ['submitted known']],
    [
      'mined, its changes not there yet',
      { changes: null },
      'skipped: balance_changes_pending',
      [],
      [],
    ],
    ['in a status of tomorrow', { status: 'frozen' }, 'skipped: unknown_status', [], []],
  ];

  test.for(RECORDS)('%s', ([, record, outcome, entries, withdrawals]) => {
    const decided = decide(DENIED, record);
    expect(shownOutcome(decided.outcome)).toBe(outcome);
    expect(postedBy(decided.entries)).toEqual(entries);
    expect(decided.withdrawals.map(({ status, custody }) => `${status} ${custody}`)).toEqual(
      withdrawals,
    );
  });

  test('burned no fee that only another hash’s chain view has', () => {
    const elsewhere = hashOf({ blockchainHash: BlockchainHash('0xb2') });
    expect(postedBy(decide(DENIED, { status: 'failed' }, [elsewhere]).entries)).toEqual([]);
  });
});

test('an unfinished transaction moved nothing, although its record lists changes', () => {
  const decided = decide(POSTED, { status: 'cancelled', changes: [TRANSFER, FEE] });
  expect(shownOutcome(decided.outcome)).toBe('critical status_mismatch -32');
  expect(postedBy(decided.entries)).toEqual(['mined by api takes back 5: 30 2']);
});

test.for<[openedAt: number | undefined, custody: string, entries: string[], healed: boolean]>([
  // A record that was read before the rollback, and compared a day later.
  [undefined, 'doubted', [], false],
  [50, 'doubted', [], false],
  [49, 'known', ['mined by api: -30 -2'], true],
])(
  'rolled back by a webhook, mined by the record, different since %s: the books follow it after 50 ms',
  ([openedAt, custody, entries, healed]) => {
    const known: Withdrawal = { ...withdrawal('rolledback', []), custody: 'known', updatedAt: 0 };
    const now = ruleContext({ source: 'api' });
    const openSince = (key: string): number | undefined =>
      key === '["status_mismatch","wd-tx"]' ? openedAt : undefined;
    const context = { record: sent(), hashes: [hashOf()], now, graceMs: 50, openSince };
    const decided = handleOutgoingRecord(known, context);
    expect(decided.withdrawals.map((one) => one.custody)).toEqual([custody]);
    expect(postedBy(decided.entries)).toEqual(entries);
    const keys = decided.healed.map(({ key }) => key);
    expect(keys.includes('["status_mismatch","wd-tx"]')).toBe(healed);
  },
);

test.for<[updatedAt: number, openedAt: number | undefined, custody: string, entries: string[]]>([
  // As it was before a reorganisation: mined again, it has another fee.
  [59, undefined, 'doubted', []],
  [59, 50, 'doubted', []],
  [59, 49, 'known', ['mined by api takes back 5: 30 2', 'mined by api: -30 -3']],
  [60, undefined, 'known', ['mined by api takes back 5: 30 2', 'mined by api: -30 -3']],
])(
  'mined with another fee by a record of %s, where our news is of 60, different since %s: the books follow a newer record at once, and an older one after 50 ms',
  ([updatedAt, openedAt, custody, entries]) => {
    const known: Withdrawal = { ...POSTED, custody: 'known', updatedAt: 60 };
    const changes = [TRANSFER, balanceChange(-3n, { kind: 'fee' })];
    const openSince = (key: string): number | undefined =>
      key === '["amount_mismatch","wd-tx"]' ? openedAt : undefined;
    const record = sent({ changes, updatedAt });
    const now = ruleContext({ source: 'api' });
    const context = { record, hashes: [hashOf()], now, graceMs: 50, openSince };
    const decided = handleOutgoingRecord(known, context);
    expect(decided.withdrawals.map((one) => one.custody)).toEqual([custody]);
    expect(postedBy(decided.entries)).toEqual(entries);
  },
);

test.for<[what: string, known: Withdrawal, record: Partial<CustodyTransaction>, heals: boolean]>([
  ['mined as it says', POSTED, {}, true],
  ['on its way as it says', withdrawal('submitted', []), { status: 'submitted' }, false],
  ['rolled back as it says', withdrawal('rolledback', []), { status: 'rolledback' }, false],
  ['mined, where it is on its way still', POSTED, { status: 'submitted' }, false],
  ['mined of another amount', POSTED, { changes: [FEE] }, false],
  ['mined, where its changes are not there yet', POSTED, { changes: null }, false],
])('the amount of a transaction is confirmed by a record: %s', ([, known, record, heals]) => {
  const keys = decide(known, record).healed.map(({ key }) => key);
  expect(keys.includes('["amount_changed","wd-tx"]')).toBe(heals);
  expect(keys.every((key) => key.includes('wd-tx'))).toBe(true);
});

describe('what the API says of a hash', () => {
  const OTHER = { blockchainHash: BlockchainHash('0xb2') };
  const HASHES: [
    why: string,
    ownHashes: OwnHash[],
    record: Partial<CustodyTransaction>,
    said: string[],
  ][] = [
    ['its transaction’s', [], {}, ['wd-tx confirmed']],
    ['another’s too', [own('wd-2', 'confirmed')], {}, ['wd-tx confirmed']],
    ['its transaction’s, as it said before', [own('wd-tx', 'confirmed')], {}, []],
    ['its transaction’s after all', [own('wd-tx', 'refuted')], {}, ['wd-tx confirmed']],
    ['nobody’s that said so', [], OTHER, []],
    ['another’s, which this record says nothing about', [own('wd-2', 'claimed')], OTHER, []],
    [
      'not its transaction’s, which ended under another',
      [own('wd-tx', 'claimed')],
      OTHER,
      ['wd-tx refuted'],
    ],
    ['not yet another', [own('wd-tx', 'claimed')], { ...OTHER, status: 'submitted' }, []],
    [
      'nothing in a status of tomorrow',
      [own('wd-tx', 'claimed')],
      { ...OTHER, status: 'frozen' },
      [],
    ],
    ['confirmed for good', [own('wd-tx', 'confirmed')], OTHER, []],
  ];

  test.for(HASHES)('%s', ([, ownHashes, record, said]) => {
    const { ownHashes: ruled } = decide(withdrawal('submitted', []), record, [
      hashOf({ ownHashes }),
    ]);
    expect(ruled.map(({ transactionId, certainty }) => `${transactionId} ${certainty}`)).toEqual(
      said,
    );
  });

  test.for<[why: string, ownHashes: OwnHash[], said: string[]]>([
    ['that was claimed', [own('wd-tx', 'claimed')], ['wd-tx refuted']],
    ['that it confirmed', [own('wd-tx', 'confirmed')], []],
    ['that nobody named', [], []],
    ['of another transaction', [own('wd-2', 'claimed')], []],
  ])('whose transaction it does not know, %s', ([, ownHashes, said]) => {
    const now = ruleContext({ source: 'api' });
    const decided = handleUnknownTransaction(withdrawal('submitted', []), {
      hashes: [hashOf({ ownHashes })],
      now,
    });
    expect(decided.ownHashes.map((one) => `${one.transactionId} ${one.certainty}`)).toEqual(said);
    expect(decided.withdrawals.map(({ custody, updatedAt }) => [custody, updatedAt])).toEqual([
      ['unknown', 99],
    ]);
  });
});

const MISSING = '["missing_notification","wd-tx"]';
const MISSING_MINED = '["missing_notification","wd-tx","mined"]';
const UNENDED = '["status_mismatch","wd-tx","unended"]';

test.for<
  [what: string, known: Withdrawal | undefined, record: Partial<CustodyTransaction>, ends: string[]]
>([
  ['the record agrees', POSTED, {}, [MISSING, MISSING_MINED, UNENDED]],
  ['the record cannot be compared yet', POSTED, { changes: null }, []],
  ['the amounts differ', POSTED, { changes: [FEE] }, [MISSING, MISSING_MINED, UNENDED]],
  ['only the webhooks say the end', POSTED, { status: 'submitted' }, [MISSING, MISSING_MINED]],
  ['only the record says the end', withdrawal('submitted', []), {}, [UNENDED]],
  ['no webhook told of it', undefined, {}, [UNENDED]],
])('the breaks about a missing end that are over: %s', ([, known, record, ends]) => {
  const keys = decide(known, record).healed.map(({ key }) => key);
  expect([MISSING, MISSING_MINED, UNENDED].filter((key) => keys.includes(key))).toEqual(ends);
});

test('a break about a missing end says why it is over', () => {
  const { healed } = decide(POSTED, {});
  expect(healed).toContainEqual({ key: MISSING, reason: 'the custody API agrees now' });
  expect(healed).toContainEqual({ key: UNENDED, reason: 'the custody API has caught up' });
});
