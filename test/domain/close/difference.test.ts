import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import {
  breakKey,
  finding,
  opened,
  resolved,
  type Break,
  type BreakType,
} from '../../../src/domain/break/break.ts';
import { differencesOf, differenceSums } from '../../../src/domain/close/difference.ts';
import type { HashFacts } from '../../../src/domain/close/hash-facts.ts';
import type {
  CloseRecord,
  CountedEffect,
  CustodyReading,
} from '../../../src/domain/close/record.ts';
import type { ReportDifference } from '../../../src/domain/close/report.ts';
import type { ExemptionRule, ActiveExemption } from '../../../src/domain/break/exemption.ts';
import {
  AssetId,
  BlockchainHash,
  BreakId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import { vaultAssetKey, type PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { ETH } from '../../store/webhook.ts';
import { CUT_OFF, HASH_KEY, HOUR_MS, line } from './day-lines.ts';

const AT = { vaultId: VaultId('v1'), asset: AssetId(ETH) };
const UNDATED = { transactionId: TransactionId('tx'), at: null, datedBy: null };
const NOT_READ: CustodyReading = { kind: 'not_read', reason: 'down' };

function read(more: Partial<CustodyReading & { kind: 'read' }> = {}): CustodyReading {
  return {
    kind: 'read',
    readAt: CUT_OFF + HOUR_MS,
    requests: 1,
    watermark: null,
    transactions: 1,
    unreadable: 0,
    counted: [],
    pending: [],
    ...more,
  };
}

/** The API moved a transaction of v1 under this hash. */
function counted(updatedAt: number, more: Partial<CountedEffect> = {}): CountedEffect {
  const amounts = [{ asset: AT.asset, amount: Amount(7n) }];
  const transactionId = TransactionId('tx');
  return { transactionId, ...HASH_KEY, vaultId: AT.vaultId, amounts, updatedAt, ...more };
}

/** The day ended with fact 30; an hour of grace. */
function recordOf(custody: CustodyReading): CloseRecord {
  return {
    kind: 'close',
    day: '2026-03-01',
    timezone: 'UTC',
    cutOffAt: CUT_OFF,
    graceMs: HOUR_MS,
    throughSeq: 30,
    seal: { commitNumber: 3, hash: 'ab' },
    custody,
  };
}

interface Case {
  readonly lines?: readonly PositionLine[];
  readonly says?: bigint;
  readonly custody?: CustodyReading;
  readonly breaks?: readonly Break[];
  readonly exemptions?: readonly ActiveExemption[];
  /** Closed before exemptions explained anything. */
  readonly old?: boolean;
}

function found(given: Case): ReportDifference[] {
  const { lines = [], says, custody = read(), breaks = [], exemptions = [] } = given;
  const facts: HashFacts = {
    ...HASH_KEY,
    lines,
    own: false,
    custody: says === undefined ? [] : [{ ...AT, ...UNDATED, amount: Amount(says), kind: null }],
    after: [],
  };
  const record = recordOf(custody);
  return differencesOf(facts, {
    record: given.old === true ? record : { ...record, exemptionsExplain: true },
    breaksOf: () => breaks,
    exemptionsOf: () => exemptions,
  });
}

/** `against difference explanation: detail`. */
function words(differences: readonly ReportDifference[]): string[] {
  return differences.map(
    ({ against, difference, explanation, detail }) =>
      `${against} ${difference} ${explanation}: ${detail}`,
  );
}

const UNEXPLAINED = 'unexplained: no break is open about it';
const GRACE = 'in_grace: booked so shortly before the cut-off that the other side may still follow';
const chain = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 2, view: 'chain', cause: 'chain', ...more });
const later = { entryId: 3, seq: 31, postedAt: CUT_OFF };
const young = { postedAt: CUT_OFF - HOUR_MS + 1 };

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

describe('a break about a difference', () => {
  const about = { vaultId: AT.vaultId, network: HASH_KEY.network, asset: AT.asset };

  function open(subject: object = about): Break {
    const key = breakKey('conservation', '0xa1');
    const difference = finding('conservation', { key, subject, detail: 'it does not add up' });
    return opened(difference, BreakId('brk_1'), 1).after;
  }
  function closed(actor: string): Break {
    return resolved(open(), { actor, reason: 'seen', at: 2 }).after;
  }

  const BREAKS: [why: string, breaks: () => Break[], explanation: string][] = [
    ['open about the very place', () => [open()], 'break brk_1'],
    ['investigated', () => [{ ...open(), state: 'investigating' }], 'break brk_1'],
    ['about the hash wherever it is', () => [open({})], 'break brk_1'],
    ['about another vault', () => [open({ ...about, vaultId: VaultId('v2') })], 'unexplained'],
    ['about another asset', () => [open({ ...about, asset: AssetId('X') })], 'unexplained'],
    ['about another network', () => [open({ ...about, network: NetworkKey('x') })], 'unexplained'],
    ['resolved by a person', () => [closed('ann')], 'resolved_break brk_1'],
    ['healed by itself', () => [closed('reconciler')], 'unexplained'],
    ['resolved once and open again', () => [closed('ann'), open()], 'break brk_1'],
  ];

  test.for(BREAKS)('%s', ([, breaks, explanation]) => {
    const lines = [chain(7n), line(2n)];
    expect(
      found({ lines, says: 3n, breaks: breaks() }).map(({ explanation: kind, breakId }) =>
        breakId === null ? kind : `${kind} ${breakId}`,
      ),
    ).toEqual([explanation, explanation]);
  });

  test('says what it is, and who resolved it why', () => {
    const lines = [chain(7n)];
    const detail = (breaks: Break[]) => found({ lines, custody: NOT_READ, breaks })[0]?.detail;
    expect(detail([open()])).toBe('conservation: it does not add up');
    expect(detail([closed('ann')])).toBe('conservation, resolved by ann: seen');
  });

  test('counts before age while it is open, and after it once a person resolved it', () => {
    const lines = [chain(7n, young), line(2n)];
    const kinds = (breaks: Break[]) =>
      found({ lines, says: 3n, breaks }).map(({ explanation }) => explanation);
    expect(kinds([open()])).toEqual(['break', 'break']);
    expect(kinds([closed('ann')])).toEqual(['in_grace', 'in_grace']);
  });

  test('does not hide that both sides agree by now', () => {
    const lines = [chain(7n), line(7n, later)];
    expect(words(found({ lines, says: 7n, breaks: [open()] }))).toEqual([
      'custody -7 timing: booked after the cut-off; both agree by now',
      'chain -7 timing: the other side was told after the cut-off; both agree by now',
    ]);
  });
});

describe('an exemption of a difference', () => {
  const about = { vaultId: AT.vaultId, network: HASH_KEY.network, asset: AT.asset };

  function exempt(
    more: Partial<ExemptionRule> = {},
    { type = 'conservation', subject = about }: { type?: BreakType; subject?: object } = {},
  ): ActiveExemption {
    const key = breakKey(type, '0xa1');
    return {
      finding: finding(type, { key, subject, detail: 'it does not add up' }),
      rule: { rule: 'rounding', owner: 'fin', reason: 'ticket 1', until: CUT_OFF, ...more },
    };
  }

  /** Books 2, chain 7 (−5), custody 3 (−1). */
  const APART = { lines: [chain(7n), line(2n)], says: 3n };
  const elsewhere = { ...about, vaultId: VaultId('v2') };

  const EXEMPT: [why: string, exemptions: ActiveExemption[], custody: string, chain: string][] = [
    ['about the very place', [exempt()], 'exempt', 'exempt'],
    ['about the hash wherever it is', [exempt({}, { subject: {} })], 'exempt', 'exempt'],
    ['about another vault', [exempt({}, { subject: elsewhere })], 'unexplained', 'unexplained'],
    ['that ended with the day', [exempt({ until: CUT_OFF })], 'exempt', 'exempt'],
    ['that ended before', [exempt({ until: CUT_OFF - 1 })], 'unexplained', 'unexplained'],
    [
      'of up to 1 less',
      [exempt({ direction: '>=', amount: Amount(-1n) })],
      'exempt',
      'unexplained',
    ],
    [
      'of more than custody',
      [exempt({ direction: '>=', amount: Amount(0n) })],
      'unexplained',
      'unexplained',
    ],
    [
      'of what custody says',
      [exempt({}, { type: 'missing_notification' })],
      'exempt',
      'unexplained',
    ],
    ['by the second rule that is about it', [exempt({ until: 0 }), exempt()], 'exempt', 'exempt'],
  ];

  test.for(EXEMPT)('%s', ([, exemptions, custody, inChain]) => {
    const kinds = found({ ...APART, exemptions }).map(({ explanation }) => explanation);
    expect(kinds).toEqual([custody, inChain]);
  });

  test('says what is exempt, by which rule, and whose it is', () => {
    const exemptions = [exempt()];
    expect(words(found({ lines: [chain(7n)], custody: NOT_READ, exemptions }))).toEqual([
      'chain -7 exempt: conservation, exempt by the rule "rounding" of fin: ticket 1',
    ]);
  });

  test('explains nothing in a day that was closed before it did', () => {
    const kinds = found({ ...APART, exemptions: [exempt()], old: true });
    expect(kinds.map(({ explanation }) => explanation)).toEqual(['unexplained', 'unexplained']);
  });

  test('hides no open break, and not that both sides agree by now', () => {
    const exemptions = [exempt()];
    const key = breakKey('amount_mismatch', '0xa1');
    const difference = finding('amount_mismatch', { key, subject: about, detail: 'd' });
    const breaks = [opened(difference, BreakId('brk_1'), 1).after];
    const kinds = (given: Case) => found(given).map(({ explanation }) => explanation);
    expect(kinds({ ...APART, exemptions, breaks })).toEqual(['break', 'break']);
    expect(kinds({ lines: [chain(7n), line(7n, later)], says: 7n, exemptions })).toEqual([
      'timing',
      'timing',
    ]);
  });

  test('counts before age, and after what the books themselves explain', () => {
    const exemptions = [exempt()];
    const kinds = (lines: readonly PositionLine[]) =>
      found({ lines, says: 3n, exemptions }).map(({ explanation }) => explanation);
    expect(kinds([chain(7n, young), line(2n)])).toEqual(['exempt', 'exempt']);
    expect(kinds([line(4n, { cause: 'suspense' }), line(3n, { entryId: 2 })])).toEqual([
      'suspense',
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
