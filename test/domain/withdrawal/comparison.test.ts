import { describe, expect, test } from 'vitest';
import {
  compareWithdrawal,
  hasArrived,
  correctsWithdrawal,
  isElsewhere,
  missingKeys,
} from '../../../src/domain/withdrawal/comparison.ts';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { BlockchainHash, NetworkKey, VaultId } from '../../../src/domain/ids.ts';
import type { WithdrawalStatus } from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange, sent } from '../../store/evidence.ts';
import { LATE, shownOutcome } from '../outcome.ts';
import { withdrawal } from '../records.ts';

const OTHER_HASH = BlockchainHash('0xb2');

describe('a withdrawal against the custody API', () => {
  const TABLE: [ours: WithdrawalStatus | 'nothing' | null, theirs: string, is: string][] = [
    ['mined', 'mined', 'matched'],
    ['failed', 'failed', 'matched'],
    ['submitted', 'submitted', 'matched'],
    ['requested', 'submitted', 'matched'],
    ['submitted', 'requested', 'matched'],
    ['nothing', 'submitted', 'matched'],
    [null, 'submitted', 'matched'],
    ['mined', 'submitted', 'warning status_mismatch'],
    ['cancelled', 'requested', 'warning status_mismatch'],
    ['submitted', 'mined', 'warning missing_notification'],
    ['nothing', 'mined', 'warning missing_notification'],
    [null, 'cancelled', 'warning missing_notification'],
    ['mined', 'rolledback', 'warning missing_notification'],
    ['mined', 'failed', 'warning status_mismatch'],
    ['rolledback', 'mined', 'warning status_mismatch'],
    ['cancelled', 'failed', 'warning missing_notification'],
    ['failed', 'cancelled', 'warning status_mismatch'],
    ['replaced', 'rolledback', 'warning status_mismatch'],
    ['mined', 'exploded', 'skipped: unknown_status'],
    ['mined', 'constructor', 'skipped: unknown_status'],
    ['mined', 'confirmed', 'skipped: unknown_status'],
  ];

  test.for(TABLE)('we say %s, the API says %s: %s', ([ours, theirs, outcome]) => {
    const known = ours === 'nothing' ? undefined : withdrawal(ours);
    expect(shownOutcome(compareWithdrawal(known, sent({ status: theirs }), LATE))).toBe(outcome);
  });

  test('an ending whose notification may still arrive is skipped', () => {
    const fresh = sent({ updatedAt: LATE.at - 1 });
    expect(shownOutcome(compareWithdrawal(withdrawal('submitted'), fresh, LATE))).toBe(
      'skipped: in_grace',
    );
  });

  test('an end that the API does not know yet is skipped while it may be behind', () => {
    const fresh = { ...withdrawal('mined'), updatedAt: LATE.at - 1 };
    const record = sent({ status: 'submitted' });
    expect(shownOutcome(compareWithdrawal(fresh, record, LATE))).toBe('skipped: custody_behind');
  });

  test.for<[why: string, theirs: Partial<CustodyTransaction>, is: string]>([
    ['no hash', { status: 'requested', blockchainHash: null }, 'warning status_mismatch'],
    ['no hash yet', { status: 'submitted', blockchainHash: null }, 'warning status_mismatch'],
    ['another', { status: 'submitted', blockchainHash: OTHER_HASH }, 'warning status_mismatch'],
    ['the same', { status: 'submitted' }, 'matched'],
  ])('the notifications name a hash on its way, the API %s: %s', ([, theirs, outcome]) => {
    const known = withdrawal('submitted', []);
    expect(shownOutcome(compareWithdrawal(known, sent(theirs), LATE))).toBe(outcome);
    const fresh = { ...known, updatedAt: LATE.at - 1 };
    expect(shownOutcome(compareWithdrawal(fresh, sent(theirs), LATE))).toBe(
      outcome === 'matched' ? 'matched' : 'skipped: custody_behind',
    );
  });

  test('a hash that the API has just given it is skipped while its notification may arrive', () => {
    const record = sent({
      status: 'submitted',
      blockchainHash: OTHER_HASH,
      updatedAt: LATE.at - 1,
    });
    expect(shownOutcome(compareWithdrawal(withdrawal('submitted', []), record, LATE))).toBe(
      'skipped: custody_behind',
    );
  });

  test('a transaction mined under another hash is a difference, for any amounts', () => {
    const record = sent({ blockchainHash: OTHER_HASH });
    expect(shownOutcome(compareWithdrawal(withdrawal('mined'), record, LATE))).toBe(
      'warning status_mismatch',
    );
  });

  test.for([
    ['another vault', { vaultId: VaultId('v2') }],
    ['another network', { network: NetworkKey('polygon') }],
  ] as const)('in %s it is a difference at once', ([_, more]) => {
    const record = sent({ ...more, status: 'submitted', updatedAt: LATE.at });
    expect(shownOutcome(compareWithdrawal(withdrawal('submitted'), record, LATE))).toBe(
      'critical status_mismatch',
    );
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
    expect(shownOutcome(compareWithdrawal(known, sent({ changes }), LATE))).toBe(outcome);
  });
});

test.for([
  ['v1', 'ethereum', false],
  ['v2', 'ethereum', true],
  ['v1', 'polygon', true],
  ['v1', null, false],
  ['v2', null, true],
] as const)('in vault %s on %s it is elsewhere: %s', ([vaultId, network, is]) => {
  const known = {
    ...withdrawal('submitted'),
    vaultId: VaultId(vaultId),
    network: network === null ? null : NetworkKey(network),
  };
  expect(isElsewhere(known, sent())).toBe(is);
});

describe('the last word', () => {
  const WORDS: [ours: WithdrawalStatus | null, theirs: string, has: boolean][] = [
    ['mined', 'mined', true],
    ['rolledback', 'mined', false],
    ['failed', 'mined', false],
    [null, 'mined', false],
    ['mined', 'failed', true],
    ['mined', 'cancelled', true],
    ['rolledback', 'replaced', true],
    ['replaced', 'rolledback', true],
    ['mined', 'submitted', false],
    ['mined', 'exploded', false],
  ];

  test.for(WORDS)('we say %s, the API says %s: %s', ([ours, theirs, has]) => {
    expect(correctsWithdrawal(sent({ status: theirs }), withdrawal(ours), false)).toBe(has);
  });

  test.for<[ours: WithdrawalStatus | null, theirs: string, has: boolean]>([
    ['rolledback', 'mined', true],
    ['cancelled', 'mined', true],
    ['failed', 'mined', true],
    ['submitted', 'mined', false],
    [null, 'mined', false],
    ['mined', 'submitted', false],
  ])('we say %s, the API still says %s after the grace period: %s', ([ours, theirs, has]) => {
    expect(correctsWithdrawal(sent({ status: theirs }), withdrawal(ours), true)).toBe(has);
  });

  const ELSEWHERE = { vaultId: VaultId('v2') };

  test.for<[what: string, record: Parameters<typeof sent>[0], has: boolean]>([
    ['on its way', { status: 'submitted' }, true],
    ['mined', {}, true],
    ['mined, its changes not there yet', { changes: null }, false],
    ['in a status that we do not know', { status: 'exploded' }, false],
  ])('of vault and network, %s: %s', ([, record, has]) => {
    expect(correctsWithdrawal(sent({ ...ELSEWHERE, ...record }), withdrawal('signed'), false)).toBe(
      has,
    );
  });

  test('is no word while the changes of what was mined are not there yet', () => {
    expect(correctsWithdrawal(sent({ changes: null }), withdrawal('mined'), false)).toBe(false);
    expect(
      correctsWithdrawal(sent({ status: 'failed', changes: null }), withdrawal('mined'), false),
    ).toBe(true);
  });
});

describe('a missing notification', () => {
  test.for<[now: WithdrawalStatus, before: WithdrawalStatus | null, missing: string, is: boolean]>([
    ['submitted', 'submitted', 'mined', false],
    ['mined', 'submitted', 'mined', true],
    // What is missing came after the end that we know.
    ['mined', 'mined', 'rolledback', false],
    ['rolledback', 'mined', 'rolledback', true],
    ['replaced', 'mined', 'rolledback', true],
    ['failed', 'failed', 'mined', false],
    ['mined', 'failed', 'mined', true],
    ['rolledback', null, 'mined', true],
  ])('has arrived when we say %s, after %s without %s: %s', ([now, before, missing, is]) => {
    const grace = { at: 1_000_000, graceMs: 0 };
    const found = compareWithdrawal(withdrawal(before), sent({ status: missing }), grace);
    const key = found.kind === 'break' ? found.finding.key : '';
    expect(key).toContain('missing_notification');
    expect(missingKeys(withdrawal(now).transactionId)).toContain(key);
    expect(hasArrived(key, withdrawal(now))).toBe(is);
  });
});
