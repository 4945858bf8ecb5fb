import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { CloseRecord } from '../../../../src/domain/close/record.ts';
import type {
  ExplanationKind,
  ReportDifference,
  ReportException,
  ReportOpenDifference,
  ReportStatus,
  ReportTotal,
} from '../../../../src/domain/close/report.ts';
import {
  exceptionsOf,
  openDifferencesOf,
  statusOf,
  vaultsWithChainView,
} from '../../../../src/domain/close/difference/verdict.ts';
import { VaultId } from '../../../../src/domain/ids.ts';
import { vaultAssetKey } from '../../../../src/domain/money/roll-forward.ts';
import { NOT_READ, RECORD, V1, V2 } from '../inputs.ts';

const NUMBERED: CloseRecord = { ...RECORD, rules: 2 };
const UNASKED: CloseRecord = { ...NOT_READ, rules: 2 };

function difference(amount: bigint, more: Partial<ReportDifference> = {}): ReportDifference {
  return {
    against: 'custody',
    ...V1,
    network: 'ethereum',
    blockchainHash: '0xa1',
    expected: '0',
    actual: amount.toString(),
    difference: amount.toString(),
    explanation: 'unexplained',
    breakId: null,
    detail: 'no break is open about it',
    ...more,
  };
}

describe('a vault has a chain view', () => {
  /** The vaults that the closed days were asked about, in order. */
  function asked(chainOfDay: readonly string[], vaults: readonly string[]) {
    const questions: string[] = [];
    const chain = new Map(chainOfDay.map((vault) => [`${vault}\u0000ethereum:ETH`, Amount(1n)]));
    const hasView = vaultsWithChainView(chain, (vaultId) => {
      questions.push(vaultId);
      return vaultId === 'v2';
    });
    return { answers: vaults.map((vault) => hasView(VaultId(vault))), questions };
  }

  test('when the day has a chain entry of it, or a closed day had one', () => {
    expect(asked(['v1'], ['v1', 'v2', 'v3']).answers).toEqual([true, true, false]);
  });

  test('and the closed days are asked once about each vault, and only about quiet ones', () => {
    const { answers, questions } = asked(['v1'], ['v3', 'v1', 'v2', 'v3', 'v2', 'v1']);
    expect(answers).toEqual([false, true, true, false, true, true]);
    expect(questions).toEqual(['v3', 'v2']);
  });
});

const ENDED: [explanation: ExplanationKind, isOpen: boolean][] = [
  ['timing', false],
  ['in_grace', true],
  ['break', true],
  ['resolved_break', false],
  ['exempt', false],
  ['suspense', false],
  ['burned_fee', false],
  ['custody_pending', true],
  ['chain_not_told', true],
  ['unexplained', true],
];

const anyDifference = fc
  .record({
    amount: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).filter((amount) => amount !== 0n),
    against: fc.constantFrom('custody' as const, 'chain' as const),
    asset: fc.constantFrom('ethereum:ETH', 'ethereum:USDC', 'bitcoin:BTC'),
    vaultId: fc.constantFrom('v1', 'v2'),
    explanation: fc.constantFrom(...ENDED.map(([explanation]) => explanation)),
  })
  .map(({ amount, ...more }) => difference(amount, more));

/** `custody ethereum:ETH: 2, net -3, gross 7`. */
function openTexts(rows: readonly ReportOpenDifference[]): string[] {
  return rows.map(
    ({ against, asset, count, difference: net, absolute }) =>
      `${against} ${asset}: ${count}, net ${net}, gross ${absolute}`,
  );
}

describe('the open differences', () => {
  test.for(ENDED)('of explanation %s are open: %s', ([explanation, isOpen]) => {
    const open = openTexts(openDifferencesOf([difference(5n, { explanation })]));
    expect(open).toEqual(isOpen ? ['custody ethereum:ETH: 1, net 5, gross 5'] : []);
  });

  test('are counted and summed by asset and side over all vaults, net and gross', () => {
    const open = openDifferencesOf([
      difference(2n),
      difference(-7n, { vaultId: 'v2', explanation: 'break' }),
      difference(5n, { against: 'chain' }),
      difference(1n, { explanation: 'timing' }),
      difference(-3n, { asset: 'bitcoin:BTC' }),
    ]);
    expect(openTexts(open)).toEqual([
      'custody bitcoin:BTC: 1, net -3, gross 3',
      'chain ethereum:ETH: 1, net 5, gross 5',
      'custody ethereum:ETH: 2, net -5, gross 9',
    ]);
  });

  test('do not depend on the order of the hashes', () => {
    fc.assert(
      fc.property(
        fc
          .array(anyDifference, { maxLength: 12 })
          .chain((rows) =>
            fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
          ),
        ([rows, shuffled]) => {
          expect(openDifferencesOf(shuffled)).toEqual(openDifferencesOf(rows));
        },
      ),
    );
  });

  test('tie with the list: no sum loses a row, and the gross is at least the net', () => {
    const isOpen = new Map(ENDED);
    fc.assert(
      fc.property(fc.array(anyDifference, { maxLength: 12 }), (rows) => {
        const open = rows.filter(({ explanation }) => isOpen.get(explanation) === true);
        const totals = openDifferencesOf(rows);
        const sum = (amounts: readonly string[]) =>
          amounts.reduce((all, one) => all + BigInt(one), 0n);
        expect(sum(totals.map((one) => one.difference))).toBe(
          sum(open.map((row) => row.difference)),
        );
        expect(totals.reduce((all, { count }) => all + count, 0)).toBe(open.length);
        for (const { difference: net, absolute } of totals) {
          const isNegative = BigInt(net) < 0n;
          expect(BigInt(absolute)).toBeGreaterThanOrEqual(isNegative ? -BigInt(net) : BigInt(net));
        }
      }),
    );
  });
});

const EXCEPTION: ReportException = { kind: 'custody_not_compared', detail: 'the API is down' };
const OPEN = { against: 'chain', asset: 'X', count: 1, difference: '1', absolute: '1' } as const;

const STATUSES: [
  exceptions: readonly ReportException[],
  open: readonly ReportOpenDifference[],
  status: ReportStatus,
][] = [
  [[], [], 'balanced'],
  [[], [OPEN], 'balanced with open differences'],
  [[EXCEPTION], [], 'exceptions'],
  [[EXCEPTION], [OPEN], 'exceptions'],
];

test.for(STATUSES)(
  'a day with exceptions %j and open differences %j is %s',
  ([found, open, status]) => {
    expect(statusOf(found, open)).toBe(status);
  },
);

/** A row that received 100 and agrees with both sides. */
function total(more: Partial<ReportTotal> = {}): ReportTotal {
  return {
    ...V1,
    decimals: 18,
    opening: '50',
    deposits: '100',
    withdrawals: '0',
    fees: '0',
    rebates: '0',
    mints: '0',
    internal: '0',
    change: '0',
    adjustments: '0',
    closing: '150',
    chainClosing: '150',
    chainDifference: '0',
    chainUntold: '0',
    custodyClosing: '150',
    custodyDifference: '0',
    ...more,
  };
}

interface Day {
  readonly record?: CloseRecord;
  readonly posted?: bigint;
  readonly totals?: readonly ReportTotal[];
  readonly differences?: readonly ReportDifference[];
}

function exceptionTexts({ record = NUMBERED, posted = 100n, totals, differences = [] }: Day) {
  const net = new Map([[vaultAssetKey(V1), Amount(posted)]]);
  const found = exceptionsOf(record, { net, differences }, totals ?? [total()]);
  return found.map(({ kind, detail }) => `${kind}: ${detail}`);
}

const accepted = { explanation: 'exempt' as const };

const EXCEPTIONS: [why: string, day: Day, are: string[]][] = [
  ['no exception when everything ties', {}, []],
  [
    'the categories move something else than the entries',
    { posted: 99n },
    ["identity: v1 ethereum:ETH: the categories move 100, the day's entries 99"],
  ],
  [
    'a row moves without any entry',
    { totals: [total({ ...V2, opening: '0', closing: '7' })] },
    ["identity: v2 ethereum:ETH: the categories move 7, the day's entries 0"],
  ],
  [
    'no exception for a row that did not move',
    { totals: [total(), total({ ...V2, opening: '7', closing: '7' })] },
    [],
  ],
  [
    'a custody difference that no hash shows',
    { totals: [total({ custodyDifference: '5' })] },
    ['identity: v1 ethereum:ETH: 5 apart from custody, of which 0 is on known hashes'],
  ],
  [
    'a custody difference of which hashes show a part',
    {
      totals: [total({ custodyDifference: '5' })],
      differences: [difference(3n, accepted), difference(1n, accepted)],
    },
    ['identity: v1 ethereum:ETH: 5 apart from custody, of which 4 is on known hashes'],
  ],
  [
    'hashes show a difference that the row does not have',
    { differences: [difference(3n, accepted)] },
    ['identity: v1 ethereum:ETH: 0 apart from custody, of which 3 is on known hashes'],
  ],
  [
    'no exception when the hashes show all of it',
    {
      totals: [total({ custodyDifference: '5', chainDifference: '-2' })],
      differences: [difference(5n, accepted), difference(-2n, { against: 'chain', ...accepted })],
    },
    [],
  ],
  [
    'a chain difference that no hash shows: one of custody does not count',
    {
      totals: [total({ custodyDifference: '5', chainDifference: '5' })],
      differences: [difference(5n, accepted)],
    },
    ['identity: v1 ethereum:ETH: 5 apart from the chain view, of which 0 is on known hashes'],
  ],
  [
    'another vault’s differences are not this row’s',
    {
      totals: [total({ custodyDifference: '5' })],
      differences: [difference(5n, { vaultId: 'v2', ...accepted })],
    },
    ['identity: v1 ethereum:ETH: 5 apart from custody, of which 0 is on known hashes'],
  ],
  [
    'no exception for a side that was not compared',
    {
      totals: [total({ custodyDifference: null, chainDifference: null })],
      differences: [difference(3n, accepted), difference(3n, { against: 'chain', ...accepted })],
    },
    [],
  ],
  [
    'no exception for the chain view under rules 1, which list no difference without a chain view',
    { record: RECORD, totals: [total({ chainDifference: '5' })] },
    [],
  ],
  [
    'rules 1 still tie with custody',
    { record: RECORD, totals: [total({ custodyDifference: '5' })] },
    ['identity: v1 ethereum:ETH: 5 apart from custody, of which 0 is on known hashes'],
  ],
  [
    'unreadable rows of custody’s list',
    { record: { ...NUMBERED, custody: { ...RECORD.custody, unreadable: 1 } } },
    [
      "custody_rows_unreadable: 1 rows of the custody API's list were not understood and count for nothing",
    ],
  ],
  ['no chain exception where custody was compared', { totals: [total({ chainUntold: '5' })] }, []],
  [
    'custody was not compared, and the chain view covers everything',
    { record: UNASKED },
    ['custody_not_compared: the API is down'],
  ],
  [
    'custody was not compared, and the chain view knows nothing of two rows',
    {
      record: UNASKED,
      totals: [
        total({ chainUntold: '100' }),
        total({ ...V2, opening: '0', closing: '0', chainUntold: '-1' }),
      ],
    },
    [
      'custody_not_compared: the API is down',
      'chain_not_compared: 2 vaults and assets moved where the chain view was told nothing, and custody did not confirm it',
    ],
  ],
  [
    'a difference without an explanation, and not those with one',
    {
      totals: [total({ custodyDifference: '5' })],
      differences: [difference(3n), difference(2n, { explanation: 'in_grace' })],
    },
    ['unexplained_difference: 1 difference has no explanation'],
  ],
  [
    'two differences without an explanation, one on each side',
    {
      totals: [total({ custodyDifference: '3', chainDifference: '4' })],
      differences: [difference(3n), difference(4n, { against: 'chain' })],
    },
    ['unexplained_difference: 2 differences have no explanation'],
  ],
];

describe('the exceptions of a day', () => {
  test.for(EXCEPTIONS)('%s', ([, day, are]) => {
    expect(exceptionTexts(day)).toEqual(are);
  });
});
