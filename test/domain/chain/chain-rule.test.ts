import { describe, expect, test } from 'vitest';
import { handleChain } from '../../../src/domain/chain/chain-handler.ts';
import { EMPTY_HASH_STATE } from '../../../src/domain/hash/hash-state.ts';
import { NotificationId } from '../../../src/domain/ids.ts';
import type { BalanceChange, ChainNotification } from '../../../src/domain/fact/notification.ts';
import type { Sighting } from '../../../src/domain/hash/sighting.ts';
import { balanceChange } from '../../store/evidence.ts';
import { runs } from '../hash/event-runs.ts';
import { chainView, circumstances, DUE, postedBy } from '../records.ts';

const { network, blockchainHash, vaultId } = DUE;
const RECEIVED = balanceChange(100n);
const FEE = balanceChange(-2n, { kind: 'fee' });
const STANDS = chainView({ entryId: 4, seen: runs('transaction::'), posted: [RECEIVED] });
const BY_API: Sighting = { ...STANDS, seen: runs('api/transaction::') };

function told(
  type: ChainNotification['type'],
  changes: readonly BalanceChange[] | null = null,
): ChainNotification {
  const id = NotificationId('ntf-1');
  const about = { network, blockchainHash, vaultId, transactionId: null };
  return { ...about, stream: 'blockchain', type, id, confirmations: null, changes };
}

function decide(notification: ChainNotification, sighting: Sighting | null) {
  const sightings = sighting === null ? [] : [sighting];
  return handleChain({ ...EMPTY_HASH_STATE, sightings }, notification, circumstances());
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
      told('transaction', [RECEIVED]),
      ['chain by webhook: 100'],
      '7000000: 100',
      [],
    ],
    [
      'told that nothing moved',
      null,
      told('transaction', []),
      ['chain by webhook: '],
      '7000000: ',
      [],
    ],
    ['told without changes', null, told('transaction'), ['chain by webhook: '], '7000000: ', []],
    ['told again alike', STANDS, told('transaction', [RECEIVED]), [], '4: 100', []],
    [
      'told again otherwise',
      STANDS,
      told('transaction', [FEE]),
      ['chain by webhook takes back 4: -100', 'chain by webhook: -2'],
      '7000001: -2',
      ['amount_changed'],
    ],
    [
      'told whole where the API told a part',
      BY_API,
      told('transaction', [RECEIVED, FEE]),
      ['chain by webhook takes back 4: -100', 'chain by webhook: 100 -2'],
      '7000001: 100 -2',
      [],
    ],
    ['told in the mempool', null, told('mempool', [RECEIVED]), [], 'null: ', []],
    ['confirmed', STANDS, told('confirmation'), [], '4: 100', []],
    [
      'rolled back',
      STANDS,
      told('rollback'),
      ['chain by webhook takes back 4: -100'],
      'null: ',
      [],
    ],
    ['rolled back before it stood', null, told('rollback'), [], 'null: ', []],
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
