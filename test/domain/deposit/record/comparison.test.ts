import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { compareMovement, foundIn } from '../../../../src/domain/deposit/record/comparison.ts';
import {
  compareBooked,
  compareUnseen,
} from '../../../../src/domain/deposit/record/unseen-comparison.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../../../src/domain/ids.ts';
import { newMovement, type Movement } from '../../../../src/domain/money/movement.ts';
import { balanceChange, received } from '../../../store/evidence.ts';
import { LATE, shownOutcome } from '../../outcome.ts';

const EMPTY_MOVEMENT = newMovement(
  {
    vaultId: VaultId('v1'),
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash('0xa1'),
    asset: AssetId('ethereum:ETH'),
  },
  0,
);

describe('books against chain view', () => {
  test.for([
    [100n, 'matched'],
    [90n, 'warning conservation 10'],
    [110n, 'warning conservation -10'],
  ] as const)('books 100, no chain view, the API says %s: %s', ([custody, outcome]) => {
    const books = { books: Amount(100n), onBooks: true };
    const movement = { ...EMPTY_MOVEMENT, ...books, custody: Amount(custody) };
    expect(shownOutcome(compareMovement(movement, LATE))).toBe(outcome);
  });

  test('says which of them it is that the books contradict', () => {
    const books = { ...EMPTY_MOVEMENT, books: Amount(100n), onBooks: true, custody: Amount(90n) };
    const chain = { ...books, chain: Amount(80n), onChain: true };
    const words = [books, chain].map((movement) => compareMovement(movement, LATE));
    expect(words.flatMap(foundIn).map(({ expected, detail }) => [expected, detail])).toEqual([
      [90n, 'the books moved 100 ethereum:ETH where the custody API says 90'],
      [80n, 'the books moved 100 ethereum:ETH where the chain moved 80'],
    ]);
  });

  const TABLE: [books: bigint | null, chain: bigint | null, changedAt: number, is: string][] = [
    [100n, 100n, 0, 'matched'],
    [100n, null, 0, 'skipped: no_chain_evidence'],
    [null, 100n, 0, 'warning unexplained_movement -100'],
    [null, -100n, 0, 'critical unexplained_movement 100'],
    [90n, 100n, 0, 'warning conservation -10'],
    [-90n, -100n, 0, 'warning conservation 10'],
    [0n, 100n, 0, 'warning conservation -100'],
    [90n, 100n, 400_001, 'skipped: in_grace'],
    [90n, 100n, 400_000, 'warning conservation -10'],
    [null, -100n, 999_999, 'skipped: in_grace'],
  ];

  test.for(TABLE)('books %s, chain %s, changed at %s: %s', ([books, chain, changedAt, outcome]) => {
    const movement: Movement = {
      ...EMPTY_MOVEMENT,
      books: Amount(books ?? 0n),
      chain: Amount(chain ?? 0n),
      onBooks: books !== null,
      onChain: chain !== null,
      changedAt,
    };
    expect(shownOutcome(compareMovement(movement, LATE))).toBe(outcome);
  });
});

describe('an incoming transaction of the API that no deposit answers to', () => {
  const TABLE: [why: string, record: Partial<CustodyTransaction>, is: string][] = [
    ['confirmed', {}, 'warning missing_notification -100'],
    ['in the mempool', { status: 'mempool' }, 'matched'],
    ['rolled back', { status: 'rolledback' }, 'matched'],
    ['an unknown status', { status: 'failed' }, 'skipped: unknown_status'],
    ['its amounts not there yet', { changes: null }, 'skipped: balance_changes_pending'],
    ['a moment old', { updatedAt: LATE.at - 1 }, 'skipped: in_grace'],
    [
      'moving no customer’s money',
      { changes: [balanceChange(1n, { kind: 'rebate' })] },
      'warning missing_notification -1',
    ],
    ['moving nothing', { changes: [balanceChange(0n, { kind: 'fee' })] }, 'matched'],
    [
      'our own change',
      { changes: [balanceChange(4n, { kind: 'change' })] },
      'warning missing_notification -4',
    ],
  ];

  test.for(TABLE)('%s', ([_, record, outcome]) => {
    expect(shownOutcome(compareUnseen(received(record), LATE))).toBe(outcome);
  });
});

describe('an incoming transaction of the API that is booked without a deposit', () => {
  const POSTED = [balanceChange(100n)];

  test.for<[why: string, record: Partial<CustodyTransaction>, is: string]>([
    ['confirmed', {}, 'matched'],
    ['in two entries', { changes: [balanceChange(60n), balanceChange(40n)] }, 'matched'],
    ['of another amount', { changes: [balanceChange(99n)] }, 'critical amount_mismatch 1'],
    [
      'of another amount a moment ago',
      { changes: [balanceChange(99n)], updatedAt: LATE.at - 1 },
      'skipped: in_grace',
    ],
    ['without the asset', { changes: [] }, 'critical amount_mismatch 100'],
    ['with omitted amounts', { changes: null }, 'skipped: balance_changes_pending'],
    ['in the mempool again', { status: 'mempool' }, 'skipped: custody_behind'],
    ['rolled back', { status: 'rolledback' }, 'warning status_mismatch'],
    ['failed', { status: 'failed' }, 'warning status_mismatch'],
    ['failed a moment ago', { status: 'failed', updatedAt: LATE.at - 1 }, 'skipped: in_grace'],
  ])('%s', ([, record, outcome]) => {
    expect(shownOutcome(compareBooked(received(record), POSTED, LATE))).toBe(outcome);
  });

  test('says which amounts differ', () => {
    const usdc = AssetId('ethereum:USDC');
    const record = received({ changes: [balanceChange(100n), balanceChange(3n, { asset: usdc })] });
    const outcome = compareBooked(record, POSTED, LATE);
    expect(foundIn(outcome).map(({ subject, detail }) => [subject.asset, detail])).toEqual([
      [usdc, 'the custody API says the transaction moved 3 ethereum:USDC, the notifications say 0'],
    ]);
  });

  test('says what is still booked', () => {
    const outcome = compareBooked(received({ status: 'failed' }), POSTED, LATE);
    expect(outcome.kind === 'break' && outcome.finding.detail).toBe(
      'the custody API says failed, and no rollback arrived: its entries are still booked',
    );
  });
});
