import { expect, test } from 'vitest';
import { datedOf, effectOf, straddles } from '../../../../src/domain/close/counted-effect.ts';
import type { EffectKind } from '../../../../src/domain/close/record.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { AssetId } from '../../../../src/domain/ids.ts';
import { balanceChange, received, sent } from '../../../store/evidence.ts';
import { HASH } from '../../../store/webhook.ts';

const COIN = { asset: AssetId('ethereum:USDC') };

/** `ethereum:ETH -32`, or `pending`. */
function effect(transaction: CustodyTransaction): string {
  const found = effectOf(transaction);
  if (found === 'pending') return found;
  return found.amounts.map(({ asset, amount }) => `${asset} ${amount}`).join(', ');
}

const EFFECTS: [why: string, transaction: CustodyTransaction, is: string][] = [
  ['a confirmed receipt', received(), 'ethereum:ETH 100'],
  ['a receipt that is only mined', received({ status: 'mined' }), ''],
  ['a receipt in the mempool', received({ status: 'mempool', changes: null }), ''],
  ['a receipt with a status of tomorrow', received({ status: 'CONFIRMED' }), ''],
  ['a mined withdrawal with its fee', sent(), 'ethereum:ETH -32'],
  ['a withdrawal that is only confirmed', sent({ status: 'confirmed' }), ''],
  ['a failed withdrawal', sent({ status: 'failed' }), ''],
  [
    'a withdrawal that waits, with nothing published',
    sent({ status: 'submitted', changes: null }),
    '',
  ],
  ['final and nothing published yet', received({ changes: null }), 'pending'],
  ['mined and nothing published yet', sent({ changes: null }), 'pending'],
  [
    'several assets, by name',
    received({ changes: [balanceChange(5n, COIN), balanceChange(100n), balanceChange(1n, COIN)] }),
    'ethereum:ETH 100, ethereum:USDC 6',
  ],
  [
    'the same, told the other way round',
    received({ changes: [balanceChange(100n), balanceChange(6n, COIN)] }),
    'ethereum:ETH 100, ethereum:USDC 6',
  ],
  [
    'an asset that nets to nothing',
    received({ changes: [balanceChange(5n, COIN), balanceChange(-5n, COIN), balanceChange(1n)] }),
    'ethereum:ETH 1',
  ],
];

test.for(EFFECTS)('%s', ([, transaction, is]) => {
  expect(effect(transaction)).toBe(is);
});

test('an effect keeps whose it is, and when it changed by the service’s clock', () => {
  expect(effectOf(received({ updatedAt: 77, status: 'mempool' }))).toEqual({
    transactionId: 'dep-tx',
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: HASH,
    updatedAt: 77,
    kind: 'incoming',
    amounts: [],
  });
});

test('a transaction without a hash goes by its own id', () => {
  expect(effectOf(sent({ blockchainHash: null }))).toMatchObject({ blockchainHash: 'wd-tx' });
});

const CHANGE = balanceChange(9n, { kind: 'change' });

const KINDS: [why: string, transaction: CustodyTransaction, kind: EffectKind][] = [
  ['an own debit', sent(), 'outgoing'],
  ['an own debit with its change', sent({ changes: [balanceChange(-30n), CHANGE] }), 'outgoing'],
  ['a receipt', received(), 'incoming'],
  ['a receipt without amounts', received({ changes: null, status: 'mempool' }), 'incoming'],
  ['change at another address of the vault', received({ changes: [CHANGE] }), 'change'],
  [
    'change beside a fee',
    received({ changes: [balanceChange(-1n, { kind: 'fee' }), CHANGE] }),
    'change',
  ],
];

test.for(KINDS)('the kind of %s', ([, transaction, kind]) => {
  expect(effectOf(transaction)).toMatchObject({ kind });
});

const CREATED = Date.UTC(2026, 2, 1, 10);
const UPDATED = Date.UTC(2026, 2, 1, 12);
const times = { createdAt: CREATED, updatedAt: UPDATED };

const DATED: [
  why: string,
  transaction: CustodyTransaction,
  minedAt: number | undefined,
  is: object,
][] = [
  [
    'is the block’s, where that is known',
    received(times),
    CREATED + 1,
    { at: CREATED + 1, datedBy: 'block' },
  ],
  [
    'of a receipt is its first sighting: each confirmation changes the record',
    received(times),
    undefined,
    { at: CREATED, datedBy: 'custody' },
  ],
  [
    'of a receipt without a first sighting is its last change',
    received({ updatedAt: UPDATED }),
    undefined,
    { at: UPDATED, datedBy: 'custody' },
  ],
  [
    'of an own transaction is its last change, when it was mined',
    sent(times),
    undefined,
    { at: UPDATED, datedBy: 'custody' },
  ],
  ['is unknown when the record has no readable time', received(), undefined, {}],
];

test.for(DATED)('the time of a transaction %s', ([, transaction, minedAt, is]) => {
  expect(datedOf(transaction, minedAt)).toEqual(is);
});

const CUT_OFFS: [why: string, transaction: CustodyTransaction, moment: number, is: boolean][] = [
  ['seen before and changed after', received(times), CREATED + 1, true],
  ['seen before and changed right then', received(times), UPDATED, true],
  ['seen right then', received(times), CREATED, false],
  ['changed before', received(times), UPDATED + 1, false],
  ['seen at a time that nobody recorded', received({ updatedAt: UPDATED }), UPDATED, false],
  ['an own transaction, which is dated by its last change', sent(times), UPDATED, false],
];

test.for(CUT_OFFS)(
  'whether a receipt’s record leaves its side of a cut-off open: %s',
  ([, transaction, moment, is]) => {
    expect(straddles(transaction, moment)).toBe(is);
  },
);
