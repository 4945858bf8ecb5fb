import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClosedFold, foldDay, type SealedDay } from '../../../src/domain/close/fold.ts';
import type { HashFacts } from '../../../src/domain/close/hash-facts.ts';
import type { CloseRecord } from '../../../src/domain/close/record.ts';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId, BlockchainHash, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import {
  CATEGORIES,
  Totals,
  vaultAssetKey,
  type PositionLine,
} from '../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, DAY_MS, HASH_KEY, line, moved } from './day-lines.ts';
import { closeDay, hash, inputs, NOT_READ, RECORD, sealed, V1, V2 } from './inputs.ts';

const FIRST: CloseRecord = { ...RECORD, rules: 2 };
/** The second day ends with fact 60, the third with fact 90. */
function dayOf(number: 2 | 3, of: CloseRecord = FIRST): CloseRecord {
  const later = number - 1;
  return {
    ...of,
    day: `2026-03-0${number}`,
    cutOffAt: CUT_OFF + later * DAY_MS,
    throughSeq: 30 * number,
  };
}

const debit = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 5, cause: 'mined', ...more });
const receipt = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 6, vaultId: V2.vaultId, ...more });

function fold(hashes: readonly HashFacts[], more: Parameters<typeof inputs>[0] = {}) {
  return foldDay(hashes, inputs({ record: FIRST, ...more }));
}

/** What a closed day counted for a hash: `v1: internal -30`. */
function countedFor(facts: HashFacts, report: DailyReport, previous?: DailyReport): string[] {
  const rows = new ClosedFold(report, previous).moved(facts, facts.lines);
  return rows.map(({ vaultAsset, effects }) => `${vaultAsset.vaultId}: ${moved(effects)}`);
}

describe('a movement between own vaults', () => {
  const facts = hash([debit(-30n), receipt(30n)], { own: true });

  test('in transit says which leg is in the books', () => {
    const credit = fold([hash([receipt(30n)], { own: true })]);
    expect(credit.inTransit).toEqual([
      { kind: 'internal', ...HASH_KEY, ...V2, amount: '30', leg: 'credit' },
    ]);
    const shown = hash([receipt(30n)]).custody;
    const paid = fold([hash([debit(-30n)], { own: true, custody: shown })]);
    expect(paid.inTransit).toEqual([
      { kind: 'internal', ...HASH_KEY, ...V1, amount: '-30', leg: 'debit' },
    ]);
  });

  test('is a withdrawal and a deposit until custody confirms it, and is named so', () => {
    const day = fold([{ ...facts, own: false }]);
    expect(moved(day.effects.effects(V1))).toBe('withdrawals -30');
    expect(moved(day.effects.effects(V2))).toBe('deposits 30');
    expect(day.unconfirmed).toEqual([{ ...HASH_KEY, ...V1, amount: '-30' }]);
    expect(fold([facts]).unconfirmed).toEqual([]);
  });

  test('moves to its category on the day on which custody confirms it', () => {
    const first = closeDay(inputs({ record: FIRST, hashes: [{ ...facts, own: false }] }));
    const next = { record: dayOf(2), previous: sealed(first, 30) };
    expect(fold([{ ...facts, own: false }], next).effects.rows()).toEqual([]);
    const day = fold([facts], next);
    expect(moved(day.effects.effects(V1))).toBe('withdrawals 30, internal -30');
    expect(moved(day.effects.effects(V2))).toBe('deposits -30, internal 30');
    expect([day.unconfirmed, day.inTransit]).toEqual([[], []]);
  });

  test('is what its day counted, whatever became known of it since', () => {
    const first = closeDay(inputs({ record: FIRST, hashes: [{ ...facts, own: false }] }));
    const previous = sealed(first, 30);
    const second = closeDay(inputs({ record: dayOf(2), previous, hashes: [facts] }));
    const now = { ...facts, lines: [...facts.lines, debit(-1n, { seq: 61, entryId: 9 })] };
    expect(countedFor(now, first)).toEqual(['v1: withdrawals -30', 'v2: deposits 30']);
    expect(countedFor(now, second, first)).toEqual([
      'v1: withdrawals 30, internal -30',
      'v2: deposits -30, internal 30',
    ]);
    const other = { ...now, blockchainHash: BlockchainHash('0xb2') };
    expect(countedFor({ ...other, lines: [receipt(3n)] }, second, first)).toEqual([]);
  });

  test('of the same hash on another network is another movement', () => {
    const first = closeDay(inputs({ record: FIRST, hashes: [{ ...facts, own: false }] }));
    const polygon = { ...facts, network: 'polygon' as HashFacts['network'] };
    expect(countedFor(polygon, first)).toEqual(['v1: internal -30', 'v2: internal 30']);
  });
});

describe('the burned fees that custody’s figure takes in', () => {
  const burned = (more: Partial<PositionLine> = {}) =>
    line(-2n, { entryId: 4, cause: 'failed-fee', change: 'fee', ...more });
  const reversal = (more: Partial<PositionLine>) =>
    line(2n, { entryId: 7, cause: 'failed-fee', change: 'fee', reverses: 4, ...more });

  /** A day compared with custody. */
  function compared(version: 1 | 2, throughSeq: number): SealedDay {
    const record = version === 1 ? RECORD : FIRST;
    return sealed(closeDay(inputs({ record })), throughSeq);
  }

  const FEES: [
    why: string,
    lines: readonly PositionLine[],
    record: CloseRecord,
    last: () => SealedDay | undefined,
    sum: bigint | undefined,
  ][] = [
    ['of the first day', [burned()], FIRST, () => undefined, -2n],
    ['of its last fact', [burned({ seq: 30 })], FIRST, () => undefined, -2n],
    ['not of the next day', [burned({ seq: 31 })], FIRST, () => undefined, undefined],
    ['none under rules 1', [burned()], RECORD, () => undefined, undefined],
    ['of the second day', [burned({ seq: 31 })], dayOf(2), () => compared(2, 30), -2n],
    ['not again', [burned()], dayOf(2), () => compared(2, 30), 0n],
    ['not the last one again', [burned({ seq: 30 })], dayOf(2), () => compared(2, 30), 0n],
    ['again when rules 1 compared last', [burned()], dayOf(2), () => compared(1, 30), -2n],
    [
      'of all days since the last comparison',
      [burned({ seq: 40 })],
      dayOf(3),
      () => compared(2, 30),
      -2n,
    ],
    [
      'back when one was taken back',
      [burned(), reversal({ seq: 40 })],
      dayOf(2),
      () => compared(2, 30),
      2n,
    ],
  ];

  test.for(FEES)('%s', ([, lines, record, last, sum]) => {
    const day = fold([hash(lines)], { record, compared: last() });
    expect(day.burned.get(vaultAssetKey(V1))).toBe(sum);
  });
});

/** An entry of a hash, and the fact that takes it back. */
interface Booking {
  readonly kind: 'debit' | 'fee' | 'burned' | 'receipt' | 'change' | 'suspense';
  readonly vault: number;
  readonly coin: boolean;
  readonly amount: bigint;
  readonly seq: number;
  readonly takenBackAfter: number | undefined;
}
interface Chance {
  readonly bookings: readonly Booking[];
  readonly shown: readonly { vault: number; amount: bigint; kind: 'incoming' | 'change' }[];
  /** The day on which custody confirms the hash as own; 3 for never. */
  readonly ownFrom: number;
}

const vault = fc.integer({ min: 1, max: 3 });
const amount = fc.bigInt({ min: 1n, max: 40n });
const booking = fc.record<Booking>({
  kind: fc.constantFrom(
    'debit',
    'debit',
    'fee',
    'burned',
    'receipt',
    'receipt',
    'change',
    'suspense',
  ),
  vault,
  coin: fc.boolean(),
  amount,
  seq: fc.integer({ min: 1, max: 60 }),
  takenBackAfter: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
});
const chances = fc.array(
  fc.record<Chance>({
    bookings: fc.array(booking, { minLength: 1, maxLength: 5 }),
    shown: fc.array(
      fc.record({ vault, amount, kind: fc.constantFrom('incoming' as const, 'change' as const) }),
      { maxLength: 2 },
    ),
    ownFrom: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 3 },
);

const BOOKED = {
  debit: { cause: 'mined', change: 'transfer', sign: -1n },
  fee: { cause: 'mined', change: 'fee', sign: -1n },
  burned: { cause: 'failed-fee', change: 'fee', sign: -1n },
  receipt: { cause: 'incoming', change: 'transfer', sign: 1n },
  change: { cause: 'incoming', change: 'change', sign: 1n },
  suspense: { cause: 'suspense', change: 'transfer', sign: 1n },
} as const;

function linesOf(bookings: readonly Booking[]): PositionLine[] {
  const lines = bookings.flatMap((one, index) => {
    const { cause, change, sign } = BOOKED[one.kind];
    const entryId = 2 * index + 1;
    const of = {
      cause,
      change,
      vaultId: VaultId(`v${one.vault}`),
      asset: AssetId(one.coin ? 'ethereum:USDC' : 'ethereum:ETH'),
    };
    const booked = line(sign * one.amount, { ...of, entryId, seq: one.seq });
    if (one.takenBackAfter === undefined) return [booked];
    const seq = one.seq + one.takenBackAfter;
    return [
      booked,
      line(-sign * one.amount, { ...of, entryId: entryId + 1, seq, reverses: entryId }),
    ];
  });
  return lines.toSorted((left, right) => left.seq - right.seq);
}

/** The hashes as known when a day is closed: five more facts came after its last. */
function hashesAt(all: readonly Chance[], day: 1 | 2): HashFacts[] {
  return all.map(({ bookings, shown, ownFrom }, index) => ({
    network: HASH_KEY.network,
    blockchainHash: BlockchainHash(`0x${index}`),
    lines: linesOf(bookings).filter(({ seq }) => seq <= 30 * day + 5),
    own: ownFrom <= day,
    custody: shown.map((part) => ({
      vaultId: VaultId(`v${part.vault}`),
      asset: AssetId('ethereum:ETH'),
      amount: Amount(part.amount),
      kind: part.kind,
      transactionId: TransactionId('tx'),
      at: null,
      datedBy: null,
    })),
    after: [],
  }));
}

const RULES: readonly CloseRecord[] = [
  NOT_READ,
  { ...NOT_READ, rules: 2 },
  { ...NOT_READ, custody: { ...NOT_READ.custody, configured: false }, rules: 2 },
];
const rules = fc.constantFrom(...RULES);

/** The figures of a report by vault and asset, signed as they move the balance. */
function figuresOf({ totals }: DailyReport): Record<string, string> {
  const rows = totals.map(({ vaultId, asset, ...figures }) => {
    const shown = CATEGORIES.map((category) => {
      const leaves = category === 'withdrawals' || category === 'fees';
      const figure = BigInt(figures[category]);
      return `${category} ${leaves ? -figure : figure}`;
    });
    return [`${vaultId} ${asset}`, shown.join(', ')] as const;
  });
  return Object.fromEntries(rows.filter(([, shown]) => /[1-9]/.test(shown)));
}

/** The same figures, summed from the movements of the closed day's hashes. */
function movementsOf(
  hashes: readonly HashFacts[],
  report: DailyReport,
  previous?: DailyReport,
): Record<string, string> {
  const closed = new ClosedFold(report, previous);
  const totals = new Totals();
  for (const facts of hashes)
    for (const row of closed.moved(facts, facts.lines)) totals.move(row, 1n);
  const rows = totals.rows().map(({ vaultAsset: { vaultId, asset }, effects }) => {
    const shown = CATEGORIES.map((category) => `${category} ${effects[category]}`);
    return [`${vaultId} ${asset}`, shown.join(', ')] as const;
  });
  return Object.fromEntries(rows.filter(([, shown]) => /[1-9]/.test(shown)));
}

describe('two days of chance', () => {
  test('each day’s figures are the sums of its movements, read back from the sealed reports', () => {
    fc.assert(
      fc.property(chances, rules, rules, (all, before, after) => {
        const first = closeDay(inputs({ record: before, hashes: hashesAt(all, 1) }));
        const record = dayOf(2, after);
        const hashes = hashesAt(all, 2);
        const second = closeDay(inputs({ record, previous: sealed(first, 30), hashes }));
        expect(movementsOf(hashes, first)).toEqual(figuresOf(first));
        expect(movementsOf(hashes, second, first)).toEqual(figuresOf(second));
      }),
      { numRuns: 300 },
    );
  });

  test('the categories move what the entries do, under any rules', () => {
    fc.assert(
      fc.property(chances, rules, (all, record) => {
        const { exceptions } = closeDay(inputs({ record, hashes: hashesAt(all, 1) }));
        expect(exceptions.filter(({ kind }) => kind === 'identity')).toEqual([]);
      }),
    );
  });

  test('a day without new evidence moves nothing', () => {
    fc.assert(
      fc.property(chances, rules, (all, record) => {
        const hashes = hashesAt(all, 1).map((facts) => ({
          ...facts,
          lines: facts.lines.filter(({ seq }) => seq <= 30),
        }));
        const first = closeDay(inputs({ record, hashes }));
        const next = { record: dayOf(2, record), previous: sealed(first, 30), hashes };
        expect(figuresOf(closeDay(inputs(next)))).toEqual({});
      }),
    );
  });

  test('the order of the hashes does not matter', () => {
    fc.assert(
      fc.property(chances, rules, (all, record) => {
        const hashes = hashesAt(all, 1);
        const close = (some: readonly HashFacts[]) => closeDay(inputs({ record, hashes: some }));
        expect(close(hashes.toReversed()).totals).toEqual(close(hashes).totals);
      }),
    );
  });
});
