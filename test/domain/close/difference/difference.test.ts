import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { differenceSums } from '../../../../src/domain/close/difference/difference.ts';
import type { CountedEffect } from '../../../../src/domain/close/record.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../src/domain/ids.ts';
import { vaultAssetKey } from '../../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, HASH_KEY, HOUR_MS, line } from '../day-lines.ts';
import {
  AT,
  NOT_READ,
  chain,
  found,
  later,
  words,
  young,
  type Case,
  read,
} from './difference-case.ts';

/** The API moved a transaction of v1 under this hash. */
function counted(updatedAt: number, more: Partial<CountedEffect> = {}): CountedEffect {
  const amounts = [{ asset: AT.asset, amount: Amount(7n) }];
  const transactionId = TransactionId('tx');
  return { transactionId, ...HASH_KEY, vaultId: AT.vaultId, amounts, updatedAt, ...more };
}

const UNEXPLAINED = 'unexplained: no break is open about it';
const GRACE = 'in_grace: booked so shortly before the cut-off that the other side may still follow';

const CUSTODY: [why: string, given: Case, are: string[]][] = [
  ['agrees', { lines: [line(5n), line(2n)], says: 7n }, []],
  ['knows nothing of it', { lines: [line(7n)] }, [`custody 7 ${UNEXPLAINED}`]],
  ['says less', { lines: [line(7n)], says: 5n }, [`custody 2 ${UNEXPLAINED}`]],
  ['says what no entry does', { says: 7n }, [`custody -7 ${UNEXPLAINED}`]],
  ['was not read', { lines: [line(7n)], custody: NOT_READ }, []],
  [
    'is right, and the books follow after the cut-off',
    { lines: [line(7n, later)], says: 7n },
    ['custody -7 timing: booked after the cut-off; both agree by now'],
  ],
  [
    'is told what the books say after the cut-off, and differs still',
    { lines: [line(6n, later)], says: 7n },
    [`custody -7 ${UNEXPLAINED}`],
  ],
  [
    'the books follow the chain by a person’s word',
    { lines: [line(-7n, { cause: 'suspense' })] },
    ['custody -7 suspense: a person resolved its break, and the books follow the chain'],
  ],
  [
    'only a part of it is a person’s word',
    { lines: [line(-7n, { cause: 'suspense' }), line(-1n)] },
    [`custody -8 ${UNEXPLAINED}`],
  ],
  [
    'a person’s word after the cut-off explains nothing before it',
    { lines: [line(-7n), line(-7n, { ...later, cause: 'suspense' })] },
    [`custody -7 ${UNEXPLAINED}`],
  ],
  [
    'a failed transaction burned its fee',
    { lines: [line(-2n, { cause: 'failed-fee', change: 'fee' })] },
    ['custody -2 burned_fee: the fee that a failed transaction burned on the chain'],
  ],
  [
    'what the chain view calls so is not the books’ word',
    { lines: [line(7n), chain(7n, { cause: 'suspense' })] },
    [`custody 7 ${UNEXPLAINED}`],
  ],
  [
    'has not published the changes of this hash',
    { lines: [line(7n)], custody: read({ pending: [HASH_KEY.blockchainHash] }) },
    ['custody 7 custody_pending: the API has not published its balance changes yet'],
  ],
  [
    'has not published those of another',
    { lines: [line(7n)], custody: read({ pending: [BlockchainHash('0xb2')] }) },
    [`custody 7 ${UNEXPLAINED}`],
  ],
  [
    'moved it right at the cut-off',
    { says: 7n, custody: read({ counted: [counted(CUT_OFF)] }) },
    ['custody -7 timing: the custody API moved it after the cut-off'],
  ],
  [
    'moved it twice, once after the cut-off',
    { says: 7n, custody: read({ counted: [counted(1), counted(CUT_OFF)] }) },
    ['custody -7 timing: the custody API moved it after the cut-off'],
  ],
  [
    'moved it right before the cut-off',
    { says: 7n, custody: read({ counted: [counted(1), counted(CUT_OFF - 1)] }) },
    ['custody -7 in_grace: the custody API moved it shortly before the cut-off'],
  ],
  [
    'moved it when the grace began',
    { says: 7n, custody: read({ counted: [counted(CUT_OFF - HOUR_MS + 1)] }) },
    ['custody -7 in_grace: the custody API moved it shortly before the cut-off'],
  ],
  [
    'moved it before the grace',
    { says: 7n, custody: read({ counted: [counted(CUT_OFF - HOUR_MS)] }) },
    [`custody -7 ${UNEXPLAINED}`],
  ],
  [
    'moved another hash, network or vault after the cut-off',
    {
      says: 7n,
      custody: read({
        counted: [
          counted(CUT_OFF, { blockchainHash: BlockchainHash('0xb2') }),
          counted(CUT_OFF, { network: NetworkKey('polygon') }),
          counted(CUT_OFF, { vaultId: VaultId('v2') }),
        ],
      }),
    },
    [`custody -7 ${UNEXPLAINED}`],
  ],
  ['may still follow', { lines: [line(7n, young)] }, [`custody 7 ${GRACE}`]],
  [
    'may still follow the very last fact of the day',
    { lines: [line(7n, { ...young, seq: 30 })] },
    [`custody 7 ${GRACE}`],
  ],
  [
    'knows nothing of what a person booked by the very last fact',
    { lines: [line(-7n, { cause: 'suspense', seq: 30 })] },
    ['custody -7 suspense: a person resolved its break, and the books follow the chain'],
  ],
];

const CHAIN: [why: string, given: Case, are: string[]][] = [
  ['agrees', { lines: [line(7n), chain(7n)] }, []],
  ['was told nothing', { lines: [line(7n)] }, []],
  ['says more', { lines: [line(5n), chain(7n)] }, [`chain -2 ${UNEXPLAINED}`]],
  ['says what no entry does', { lines: [chain(7n)] }, [`chain -7 ${UNEXPLAINED}`]],
  ['was told after the cut-off alone', { lines: [line(7n), chain(7n, later)] }, []],
  [
    'was told first, and the books after the cut-off',
    { lines: [chain(7n), line(7n, later)] },
    ['chain -7 timing: the other side was told after the cut-off; both agree by now'],
  ],
  ['told right in the grace', { lines: [chain(7n, young)] }, [`chain -7 ${GRACE}`]],
  [
    'told right before the grace',
    { lines: [chain(7n, { postedAt: CUT_OFF - HOUR_MS })] },
    [`chain -7 ${UNEXPLAINED}`],
  ],
  [
    'another vault and another asset are young, and this one is not',
    {
      lines: [
        chain(7n),
        ...[{ vaultId: VaultId('v2') }, { asset: AssetId('X') }].flatMap((vaultAsset) => [
          chain(1n, { ...vaultAsset, ...young }),
          line(1n, { ...vaultAsset, ...young }),
        ]),
      ],
    },
    [`chain -7 ${UNEXPLAINED}`],
  ],
  [
    'what came after the cut-off makes nothing young',
    { lines: [chain(7n), chain(1n, { ...later, postedAt: CUT_OFF + 1 })] },
    [`chain -7 ${UNEXPLAINED}`],
  ],
];

describe('the books of a hash at the cut-off', () => {
  test.for(CUSTODY)('custody %s', ([, given, are]) => {
    expect(words(found(given))).toEqual(are);
  });

  test.for(CHAIN)('the chain view %s', ([, given, are]) => {
    expect(words(found({ custody: NOT_READ, ...given }))).toEqual(are);
  });

  test('a difference names its vault, asset and hash; ours is the actual', () => {
    expect(found({ lines: [line(5n)], says: 7n })).toEqual([
      {
        against: 'custody',
        vaultId: 'v1',
        network: 'ethereum',
        blockchainHash: '0xa1',
        asset: 'ethereum:ETH',
        expected: '7',
        actual: '5',
        difference: '-2',
        explanation: 'unexplained',
        breakId: null,
        detail: 'no break is open about it',
      },
    ]);
  });

  test('every vault and asset of a hash is compared for itself', () => {
    const lines = [
      line(1n, { vaultId: VaultId('v2') }),
      chain(2n, { vaultId: VaultId('v2') }),
      line(3n, { asset: AssetId('X') }),
    ];
    const vaultAssets = found({ lines, says: 5n }).map(
      ({ against, vaultId, asset, difference }) => `${against} ${vaultId} ${asset} ${difference}`,
    );
    expect(vaultAssets).toEqual([
      'custody v2 ethereum:ETH 1',
      'chain v2 ethereum:ETH -1',
      'custody v1 X 3',
      'custody v1 ethereum:ETH -5',
    ]);
  });
});

test('differences are summed by vault and asset, each side for itself', () => {
  const rows = [
    ...found({ lines: [line(5n), chain(7n)], says: 1n }),
    ...found({ lines: [line(1n), chain(1n)] }),
    ...found({ lines: [line(3n, { vaultId: VaultId('v2') })] }),
  ];
  const key = vaultAssetKey(AT);
  const other = vaultAssetKey({ ...AT, vaultId: VaultId('v2') });
  expect([...differenceSums(rows, 'custody')]).toEqual([
    [key, 5n],
    [other, 3n],
  ]);
  expect([...differenceSums(rows, 'chain')]).toEqual([[key, -2n]]);
});
