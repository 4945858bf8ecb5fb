import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { contradictionIn, handleIncoming } from '../../../src/domain/deposit/incoming-handler.ts';
import { handleNotification } from '../../../src/domain/fact/notification-handler.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE, type KeyedHashState } from '../../../src/domain/hash/hash-state.ts';
import { CreditId, NotificationId, TransactionId } from '../../../src/domain/ids.ts';
import type {
  BalanceChange,
  ChainNotification,
  IncomingNotification,
  Notification,
} from '../../../src/domain/fact/notification.ts';
import {
  hasHash,
  newSighting,
  sightingKeyOf,
  type Sighting,
} from '../../../src/domain/hash/sighting.ts';
import type { Withdrawal } from '../../../src/domain/withdrawal/withdrawal.ts';
import { balanceChange } from '../../store/evidence.ts';
import { runs } from '../hash/event-runs.ts';
import { ruleContext, DUE, outgoing, withdrawal } from '../records.ts';

const { network, blockchainHash, vaultId, accountId, addressId, networkAddress, memo } = DUE;
const RECEIVED = balanceChange(100n);
const OTHER = balanceChange(90n);
const FEE = balanceChange(-2n, { kind: 'fee' });
const ABOUT = { id: NotificationId('ntf-2'), network, blockchainHash, vaultId };

function receipt(
  type: IncomingNotification['type'],
  changes: readonly BalanceChange[] | null,
): IncomingNotification {
  const transactionId = TransactionId('dep-tx');
  const position = { accountId, addressId, networkAddress, memo, transactionId };
  return { ...ABOUT, ...position, stream: 'incoming', type, confirmations: 1, changes };
}

function chain(
  type: ChainNotification['type'],
  changes: readonly BalanceChange[] | null,
): ChainNotification {
  return { ...ABOUT, stream: 'blockchain', type, transactionId: null, confirmations: 1, changes };
}

const MINED = outgoing('mined', { network, blockchainHash, changes: withdrawal('mined').posted });
const POSTED: Withdrawal = { ...withdrawal('mined'), entryId: 5 };

/** The hash state in which `name` was seen where the notification is from; `posted` stands there. */
function seen(notification: Notification, name: string, posted: BalanceChange[]): KeyedHashState {
  if (!hasHash(notification)) throw new Error('no hash');
  const sighting: Sighting = {
    ...newSighting(sightingKeyOf(notification)),
    entryId: posted.length > 0 ? 4 : null,
    seen: runs(name),
    posted,
  };
  return { ...EMPTY_HASH_STATE, network, blockchainHash, sightings: [sighting], deposits: [DUE] };
}

describe('a repeat under another id has no effect', () => {
  const REPEATS: [
    what: string,
    notification: Notification,
    name: string,
    posted: BalanceChange[],
    known: Withdrawal | undefined,
    differs: boolean,
  ][] = [
    [
      'a receipt',
      receipt('confirmation', [RECEIVED]),
      'confirmation:1:dep-tx',
      [RECEIVED],
      undefined,
      false,
    ],
    [
      'a receipt of another amount',
      receipt('confirmation', [OTHER]),
      'confirmation:1:dep-tx',
      [RECEIVED],
      undefined,
      true,
    ],
    [
      'a receipt without changes',
      receipt('confirmation', null),
      'confirmation:1:dep-tx',
      [RECEIVED],
      undefined,
      false,
    ],
    ['a mined one', MINED, 'mined::wd-tx', [], POSTED, false],
    [
      'a mined one of another amount',
      { ...MINED, changes: [FEE] },
      'mined::wd-tx',
      [],
      POSTED,
      true,
    ],
    [
      'a mined one that nobody knows',
      { ...MINED, changes: [FEE] },
      'mined::wd-tx',
      [],
      undefined,
      false,
    ],
    [
      'a chain view',
      chain('transaction', [RECEIVED]),
      'transaction:1:',
      [RECEIVED],
      undefined,
      false,
    ],
    [
      'a chain view of another amount',
      chain('transaction', [OTHER]),
      'transaction:1:',
      [RECEIVED],
      undefined,
      true,
    ],
    [
      'a chain view without changes',
      chain('transaction', null),
      'transaction:1:',
      [RECEIVED],
      undefined,
      false,
    ],
    [
      'a count on the chain',
      chain('confirmation', [OTHER]),
      'confirmation:1:',
      [RECEIVED],
      undefined,
      false,
    ],
    ['the mempool on the chain', chain('mempool', [OTHER]), 'mempool:1:', [], undefined, false],
  ];

  test.for(REPEATS)('%s: whether it differs', ([, notification, name, posted, known, differs]) => {
    const context = { notification, now: ruleContext() };
    const { status, changes } = handleNotification(
      [seen(notification, name, posted)],
      known,
      context,
    );
    expect(status).toBe('duplicate');
    const { found, ...rest } = changes;
    expect(found.map(({ type }) => type)).toEqual(differs ? ['amount_changed'] : []);
    expect(Object.values(rest).flat()).toEqual([]);
  });

  test('an event without a hash is never one', () => {
    const context = { notification: outgoing('approved'), now: ruleContext() };
    const decided = handleNotification([seen(MINED, 'approved::wd-tx', [])], undefined, context);
    expect(decided.status).toBe('accepted');
  });

  test('a repeated rollback states no amount', () => {
    const hashState = { ...EMPTY_HASH_STATE, deposits: [DUE] };
    expect(contradictionIn(hashState, receipt('rollback', [OTHER]))).toEqual([]);
    expect(contradictionIn(hashState, receipt('confirmation', [OTHER]))).toHaveLength(1);
  });
});

describe('a rollback', () => {
  const CREDIT = {
    creditId: CreditId('crd_1'),
    amount: Amount(100n),
    creditedAt: 9,
    reference: null,
  };
  const CREDITED: [why: string, deposit: Partial<Deposit>, found: string[]][] = [
    ['of what was never credited', {}, []],
    ['of a credit', { credit: CREDIT }, ['reversal_after_credit']],
    ['of a credit whose hash had left the chain before', { credit: CREDIT, evidence: 'none' }, []],
  ];

  test.for(CREDITED)('%s', ([, facts, found]) => {
    const hashState = { ...EMPTY_HASH_STATE, deposits: [{ ...DUE, ...facts }] };
    const decided = handleIncoming(hashState, receipt('rollback', null), ruleContext());
    expect(decided.found.map(({ type }) => type)).toEqual(found);
    expect(decided.deposits.map(({ evidence, epoch }) => [evidence, epoch])).toEqual([['none', 1]]);
  });
});
