import { describe, expect, test } from 'vitest';
import { handleChain } from '../../../src/domain/chain/chain-handler.ts';
import { EMPTY_HASH_STATE } from '../../../src/domain/hash/hash-state.ts';
import { NotificationId } from '../../../src/domain/ids.ts';
import type { BalanceChange, ChainNotification } from '../../../src/domain/fact/notification.ts';
import type { Sighting } from '../../../src/domain/hash/sighting.ts';
import { balanceChange } from '../../store/evidence.ts';
import { runs } from '../hash/event-runs.ts';
import { chainView, ruleContext, DUE, postedBy } from '../records.ts';

const { network, blockchainHash, vaultId } = DUE;
const RECEIVED = balanceChange(100n);
const FEE = balanceChange(-2n, { kind: 'fee' });
const POSTED = chainView({ entryId: 4, seen: runs('transaction::'), posted: [RECEIVED] });
const BY_API: Sighting = { ...POSTED, seen: runs('api/transaction::') };

function chainEvent(
  type: ChainNotification['type'],
  changes: readonly BalanceChange[] | null = null,
): ChainNotification {
  const id = NotificationId('ntf-1');
  const about = { network, blockchainHash, vaultId, transactionId: null };
  return { ...about, stream: 'blockchain', type, id, confirmations: null, changes };
}

function decide(notification: ChainNotification, sighting: Sighting | null) {
  const sightings = sighting === null ? [] : [sighting];
  return handleChain({ ...EMPTY_HASH_STATE, sightings }, notification, ruleContext());
}

describe('what the chain view becomes', () => {
  const STEPS: [
    why: string,
    before: Sighting | null,
    notification: ChainNotification,
    entries: string[],
    active: string,
    found: string[],
  ][] = [
    [
      'first told',
      null,
      chainEvent('transaction', [RECEIVED]),
      ['chain by webhook: 100'],
      '7000000: 100',
      [],
    ],
    [
      'told that nothing moved',
      null,
      chainEvent('transaction', []),
      ['chain by webhook: '],
      '7000000: ',
      [],
    ],
    [
      'told without changes',
      null,
      chainEvent('transaction'),
      ['chain by webhook: '],
      '7000000: ',
      [],
    ],
    ['told again alike', POSTED, chainEvent('transaction', [RECEIVED]), [], '4: 100', []],
    [
      'told again otherwise',
      POSTED,
      chainEvent('transaction', [FEE]),
      ['chain by webhook takes back 4: -100', 'chain by webhook: -2'],
      '7000001: -2',
      ['amount_changed'],
    ],
    [
      'told whole where the API told a part',
      BY_API,
      chainEvent('transaction', [RECEIVED, FEE]),
      ['chain by webhook takes back 4: -100', 'chain by webhook: 100 -2'],
      '7000001: 100 -2',
      [],
    ],
    ['told in the mempool', null, chainEvent('mempool', [RECEIVED]), [], 'null: ', []],
    ['confirmed', POSTED, chainEvent('confirmation'), [], '4: 100', []],
    [
      'rolled back',
      POSTED,
      chainEvent('rollback'),
      ['chain by webhook takes back 4: -100'],
      'null: ',
      [],
    ],
    ['rolled back before it stood', null, chainEvent('rollback'), [], 'null: ', []],
  ];

  test.for(STEPS)('%s', ([, before, notification, entries, active, found]) => {
    const decided = decide(notification, before);
    expect(postedBy(decided.entries)).toEqual(entries);
    expect(
      decided.sightings.map(
        (one) => `${one.entryId}: ${one.posted.map((p) => p.amount).join(' ')}`,
      ),
    ).toEqual([active]);
    expect(decided.found.map(({ type }) => type)).toEqual(found);
    expect(decided.withdrawals).toEqual([]);
  });
});
