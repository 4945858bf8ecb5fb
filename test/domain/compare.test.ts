import { describe, expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import { differenceOf } from '../../src/domain/break.ts';
import {
  compareMovement,
  compareUnseen,
  compareWithdrawal,
  type Outcome,
} from '../../src/domain/compare.ts';
import type { CustodyTransaction } from '../../src/domain/custody.ts';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../src/domain/ids.ts';
import { newMovement, type Movement } from '../../src/domain/movement.ts';
import type { Withdrawal, WithdrawalStatus } from '../../src/domain/withdrawal.ts';
import { balanceChange, received, sent } from '../store/evidence.ts';

const LATE = { at: 1_000_000, graceMs: 600_000 };

/** `matched`, `skipped: cause`, `exempt: rule`, or `break: type difference`. */
function told(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'matched':
      return 'matched';
    case 'skipped':
      return `skipped: ${outcome.cause}`;
    case 'exempt':
      return `exempt: ${outcome.rule}`;
    case 'break': {
      const { type, severity } = outcome.finding;
      const difference = differenceOf(outcome.finding);
      return `${severity} ${type}${difference === null ? '' : ` ${difference}`}`;
    }
    default:
      return outcome satisfies never;
  }
}

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
    expect(told(compareMovement(movement, LATE))).toBe(outcome);
  });
});

function withdrawal(status: WithdrawalStatus | null, posted = [balanceChange(-32n)]): Withdrawal {
  const { transactionId, vaultId, network, blockchainHash } = sent();
  return {
    transactionId,
    vaultId,
    network,
    blockchainHash,
    orderId: null,
    accountId: null,
    addressId: null,
    destinationAddress: null,
    memo: null,
    status,
    reasonCode: null,
    entryId: null,
    posted,
    firstSeenAt: 0,
    updatedAt: 0,
  };
}

describe('a withdrawal against the custody API', () => {
  const TABLE: [ours: WithdrawalStatus | 'nothing' | null, theirs: string, is: string][] = [
    ['mined', 'mined', 'matched'],
    ['failed', 'failed', 'matched'],
    ['submitted', 'submitted', 'matched'],
    ['requested', 'submitted', 'matched'],
    ['submitted', 'requested', 'matched'],
    ['nothing', 'submitted', 'matched'],
    [null, 'submitted', 'matched'],
    ['mined', 'submitted', 'skipped: custody_behind'],
    ['cancelled', 'requested', 'skipped: custody_behind'],
    ['submitted', 'mined', 'warning missing_notification'],
    ['nothing', 'mined', 'warning missing_notification'],
    [null, 'cancelled', 'warning missing_notification'],
    ['mined', 'rolledback', 'warning missing_notification'],
    ['mined', 'failed', 'warning status_mismatch'],
    ['rolledback', 'mined', 'warning status_mismatch'],
    ['cancelled', 'failed', 'warning status_mismatch'],
    ['replaced', 'rolledback', 'warning status_mismatch'],
    ['mined', 'exploded', 'skipped: unknown_status'],
    ['mined', 'constructor', 'skipped: unknown_status'],
    ['mined', 'confirmed', 'skipped: unknown_status'],
  ];

  test.for(TABLE)('we say %s, the API says %s: %s', ([ours, theirs, outcome]) => {
    const known = ours === 'nothing' ? undefined : withdrawal(ours);
    expect(told(compareWithdrawal(known, sent({ status: theirs }), LATE))).toBe(outcome);
  });

  test('an ending of which a notification may still be on its way is skipped', () => {
    const fresh = sent({ updatedAt: LATE.at - 1 });
    expect(told(compareWithdrawal(withdrawal('submitted'), fresh, LATE))).toBe('skipped: in_grace');
  });

  const AMOUNTS: [ours: bigint[], theirs: bigint[] | null, is: string][] = [
    [[-32n], [-30n, -2n], 'matched'],
    [[-30n, -2n], [-32n], 'matched'],
    [[-32n], null, 'skipped: balance_changes_pending'],
    [[-31n], [-30n, -2n], 'critical amount_mismatch 1'],
    [[], [-30n, -2n], 'critical amount_mismatch 32'],
    [[-32n], [], 'critical amount_mismatch -32'],
  ];

  test.for(AMOUNTS)('mined: we say %s, the API says %s: %s', ([ours, theirs, outcome]) => {
    const known = withdrawal(
      'mined',
      ours.map((amount) => balanceChange(amount)),
    );
    const changes = theirs?.map((amount) => balanceChange(amount)) ?? null;
    expect(told(compareWithdrawal(known, sent({ changes }), LATE))).toBe(outcome);
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
    expect(told(compareUnseen(received(record), LATE))).toBe(outcome);
  });
});
