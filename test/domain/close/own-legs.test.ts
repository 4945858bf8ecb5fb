import { describe, expect, test } from 'vitest';
import type { CustodyPart, HashFacts } from '../../../src/domain/close/hash-facts.ts';
import {
  ownByOf,
  unconfirmedOf,
  wordNow,
  wordOf,
  type OwnBy,
} from '../../../src/domain/close/own-legs.ts';
import type { CloseRecord } from '../../../src/domain/close/record.ts';
import type { ReportInTransit, ReportUnconfirmed } from '../../../src/domain/close/report.ts';
import { AssetId, TransactionId } from '../../../src/domain/ids.ts';
import type { HashWord, PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, HASH_KEY, line } from './day-lines.ts';
import { at, NOT_READ, RECORD, V1, V2 } from './inputs.ts';

const NO_API = { kind: 'not_read', reason: 'no API', configured: false } as const;

/** A day under rules 2, by how custody was read. */
const READ: CloseRecord = { ...RECORD, rules: 2 };
const DOWN: CloseRecord = { ...NOT_READ, rules: 2 };
const WITHOUT_API: CloseRecord = { ...RECORD, custody: NO_API, rules: 2 };

const COIN = { asset: AssetId('ethereum:USDC') };

const EVIDENCE: [why: string, record: CloseRecord, by: OwnBy][] = [
  ['rules 1 believe any webhook', RECORD, 'word'],
  ['rules 1 without a custody API believe any webhook', { ...RECORD, custody: NO_API }, 'word'],
  ['rules 2 want custody’s confirmation', READ, 'confirmed'],
  ['rules 2 want it also while the API is down', DOWN, 'confirmed'],
  ['rules 2 without a custody API heed webhooks', WITHOUT_API, 'heeded'],
];

test.for(EVIDENCE)('an own transaction by its evidence: %s', ([, record, by]) => {
  expect(ownByOf(record)).toBe(by);
});

/** A debit of v1, and receipts at v2 unless told otherwise. */
const debit = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 5, cause: 'mined', ...more });
const receipt = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 6, vaultId: V2.vaultId, ...more });
const booksLater = { entryId: 7, seq: 31, postedAt: CUT_OFF };
const takenBack = debit(30n, { entryId: 8, reverses: 5 });

/** A credit that the custody API shows at v2. */
function shows(amount: bigint, more: Partial<CustodyPart> = {}): CustodyPart {
  const transactionId = TransactionId('tx');
  return {
    ...at(V2, amount),
    transactionId,
    kind: 'incoming',
    at: null,
    datedBy: null,
    ...more,
  };
}

/** `own, awaits change 9 ethereum:ETH from v1`. */
function text({ own, awaited }: HashWord): string {
  const credits = awaited.map(({ kind, from, asset, amount }) => {
    const credit = `awaits ${kind} ${amount} ${asset}`;
    return from === undefined ? credit : `${credit} from ${from}`;
  });
  return [own ? 'own' : 'not own', ...credits].join(', ');
}

interface Known {
  readonly lines: readonly PositionLine[];
  /** Whether the required evidence makes the hash an own transaction's; by default it does. */
  readonly own?: boolean;
  readonly custody?: readonly CustodyPart[];
  readonly record?: CloseRecord;
}

function factsOf({ lines, own = true, custody = [] }: Known): HashFacts {
  return { ...HASH_KEY, lines, own, custody, after: [] };
}

/** What is known of a hash at the close. */
function known(given: Known): string {
  const { lines, record = READ } = given;
  return text(
    wordNow(
      factsOf(given),
      lines.filter(({ seq }) => seq <= record.throughSeq),
      record,
    ),
  );
}

const OWN: [why: string, given: Known, is: string][] = [
  ['a withdrawal alone under rules 1', { lines: [debit(-30n)], own: false, record: RECORD }, 'own'],
  [
    'a burned fee alone under rules 1',
    { lines: [debit(-2n, { cause: 'failed-fee' })], own: false, record: RECORD },
    'own',
  ],
  [
    'a receipt alone under rules 1',
    { lines: [receipt(30n)], own: false, record: RECORD },
    'not own',
  ],
  ['a receipt with other evidence under rules 1', { lines: [receipt(30n)], record: RECORD }, 'own'],
  [
    'rules 1 await no credit',
    { lines: [debit(-30n)], custody: [shows(30n)], record: RECORD },
    'own',
  ],
  [
    'a withdrawal alone, which custody has not confirmed',
    { lines: [debit(-30n)], own: false },
    'not own',
  ],
  [
    'a withdrawal alone, without a custody API',
    { lines: [debit(-30n)], own: false, record: WITHOUT_API },
    'own',
  ],
  [
    'a receipt alone, without a custody API',
    { lines: [receipt(30n)], own: false, record: WITHOUT_API },
    'not own',
  ],
  [
    'a withdrawal that was taken back, without a custody API',
    { lines: [debit(-30n), takenBack], own: false, record: WITHOUT_API },
    'not own',
  ],
];

describe('whether a hash is an own transaction’s', () => {
  test.for(OWN)('%s', ([, given, is]) => {
    expect(known(given)).toBe(is);
  });
});

const AWAITED: [why: string, given: Known, is: string][] = [
  [
    'custody shows the receipt that the books lack',
    { lines: [debit(-30n)], custody: [shows(30n)] },
    'own, awaits internal 30 ethereum:ETH',
  ],
  [
    'the receipt was booked after the cut-off',
    { lines: [debit(-30n), receipt(30n, booksLater)] },
    'own, awaits internal 30 ethereum:ETH',
  ],
  ['nobody knows of a receipt', { lines: [debit(-30n)] }, 'own'],
  [
    'the receipt was booked in time',
    { lines: [debit(-30n), receipt(30n)], custody: [shows(30n)] },
    'own',
  ],
  [
    'a part of it was booked in time',
    { lines: [debit(-30n), receipt(10n)], custody: [shows(30n)] },
    'own, awaits internal 20 ethereum:ETH',
  ],
  [
    'custody shows more than was booked since',
    { lines: [debit(-30n), receipt(20n, booksLater)], custody: [shows(30n)] },
    'own, awaits internal 30 ethereum:ETH',
  ],
  [
    'more was booked since than custody shows',
    { lines: [debit(-30n), receipt(30n, booksLater)], custody: [shows(20n)] },
    'own, awaits internal 30 ethereum:ETH',
  ],
  [
    'several receipts at one vault are one credit',
    { lines: [debit(-30n)], custody: [shows(10n), shows(20n)] },
    'own, awaits internal 30 ethereum:ETH',
  ],
  [
    'each vault and each asset awaits its own',
    {
      lines: [debit(-30n), receipt(5n, { ...booksLater, ...COIN })],
      custody: [shows(10n), shows(20n, { vaultId: V1.vaultId })],
    },
    'own, awaits internal 5 ethereum:USDC, awaits internal 10 ethereum:ETH, awaits internal 20 ethereum:ETH',
  ],
  [
    'custody’s own debit is no credit',
    { lines: [debit(-30n)], custody: [shows(30n, { kind: 'outgoing' })] },
    'own',
  ],
  [
    'a part that only rules 1 counted says not what it was',
    { lines: [debit(-30n)], custody: [shows(30n, { kind: null })] },
    'own',
  ],
  [
    'change that custody shows comes from the same vault',
    { lines: [debit(-30n)], custody: [shows(9n, { vaultId: V1.vaultId, kind: 'change' })] },
    'own, awaits change 9 ethereum:ETH from v1',
  ],
  [
    'change that was booked after the cut-off comes from the same vault',
    { lines: [debit(-30n), receipt(9n, { ...booksLater, ...V1, change: 'change' })] },
    'own, awaits change 9 ethereum:ETH from v1',
  ],
  [
    'custody alone calls a booked credit change',
    {
      lines: [debit(-30n), receipt(9n, { ...booksLater, ...V1 })],
      custody: [shows(9n, { ...V1, kind: 'change' })],
    },
    'own, awaits change 9 ethereum:ETH from v1',
  ],
  [
    'a receipt beside change at one vault is change, whichever comes first',
    {
      lines: [debit(-30n)],
      custody: [
        shows(5n, { ...V1, kind: 'change' }),
        shows(4n, V1),
        shows(4n),
        shows(5n, { kind: 'change' }),
      ],
    },
    'own, awaits change 9 ethereum:ETH from v1, awaits change 9 ethereum:ETH from v2',
  ],
  [
    'a receipt that was taken back after the cut-off is awaited no more',
    {
      lines: [debit(-30n), receipt(30n), receipt(-30n, { ...booksLater, reverses: 6 })],
    },
    'own',
  ],
  [
    'a receipt that was taken back in time, though custody shows it',
    {
      lines: [debit(-30n), receipt(30n), receipt(-30n, { entryId: 7, reverses: 6 })],
      custody: [shows(30n)],
    },
    'own, awaits internal 30 ethereum:ETH',
  ],
  ['the debit itself is not booked', { lines: [], custody: [shows(30n)] }, 'own'],
  ['the debit was taken back', { lines: [debit(-30n), takenBack], custody: [shows(30n)] }, 'own'],
  [
    'custody has not confirmed the debit',
    { lines: [debit(-30n)], own: false, custody: [shows(30n)] },
    'not own',
  ],
  [
    'without a custody API the books alone say it',
    { lines: [debit(-30n), receipt(30n, booksLater)], own: false, record: WITHOUT_API },
    'own, awaits internal 30 ethereum:ETH',
  ],
];

describe('a credit that an own debit awaits', () => {
  test.for(AWAITED)('%s', ([, given, is]) => {
    expect(known(given)).toBe(is);
  });
});

function leg(amount: string, more: Partial<ReportInTransit> = {}): ReportInTransit {
  return { kind: 'internal', ...HASH_KEY, ...V1, amount, ...more };
}
const UNCONFIRMED: ReportUnconfirmed = { ...HASH_KEY, ...V1, amount: '-30' };

interface Sealed {
  readonly version: 1 | 2;
  readonly inTransit?: readonly ReportInTransit[];
  readonly unconfirmed?: readonly ReportUnconfirmed[];
  readonly books?: readonly PositionLine[];
}

const SEALED: [why: string, report: Sealed, is: string][] = [
  ['a version 1 report with a debit', { version: 1, books: [debit(-30n)] }, 'own'],
  [
    'a version 1 report with a debit taken back',
    { version: 1, books: [debit(-30n), takenBack] },
    'own',
  ],
  [
    'a version 1 report with a debit and a receipt',
    { version: 1, books: [debit(-30n), receipt(30n)] },
    'own',
  ],
  ['a version 1 report with a receipt', { version: 1, books: [receipt(30n)] }, 'not own'],
  [
    'a version 1 report with an internal receipt in transit',
    { version: 1, inTransit: [leg('30')], books: [receipt(30n)] },
    'own',
  ],
  [
    'a version 1 report with change in transit',
    { version: 1, inTransit: [leg('9', { kind: 'change' })], books: [receipt(9n)] },
    'not own',
  ],
  ['a version 2 report with a debit', { version: 2, books: [debit(-30n)] }, 'own'],
  [
    'a version 2 report that lists the debit as unconfirmed',
    { version: 2, books: [debit(-30n)], unconfirmed: [UNCONFIRMED] },
    'not own',
  ],
  [
    'a version 2 report with a debit taken back',
    { version: 2, books: [debit(-30n), takenBack] },
    'not own',
  ],
  ['a version 2 report with a receipt', { version: 2, books: [receipt(30n)] }, 'not own'],
  [
    'a version 2 report with an internal receipt in transit',
    { version: 2, inTransit: [leg('30', { leg: 'credit' })], books: [receipt(30n)] },
    'own',
  ],
  [
    'a version 2 report with change in transit',
    { version: 2, inTransit: [leg('9', { kind: 'change', leg: 'credit' })] },
    'not own',
  ],
  [
    'a version 2 report with debits in transit awaits their credits from these vaults',
    {
      version: 2,
      inTransit: [
        leg('-30', { leg: 'debit' }),
        leg('-9', { leg: 'debit', kind: 'change', vaultId: 'v2', ...COIN }),
      ],
      books: [debit(-30n)],
    },
    'own, awaits internal 30 ethereum:ETH from v1, awaits change 9 ethereum:USDC from v2',
  ],
  [
    'a version 2 report with one receipt and one debit in transit awaits one credit',
    { version: 2, inTransit: [leg('5', { leg: 'credit' }), leg('-30', { leg: 'debit' })] },
    'own, awaits internal 30 ethereum:ETH from v1',
  ],
];

describe('what a sealed report knew of a hash', () => {
  test.for(SEALED)('%s', ([, { version, inTransit = [], unconfirmed = [], books = [] }, is]) => {
    expect(text(wordOf({ version, inTransit, unconfirmed }, books))).toBe(is);
  });
});

const DEBITS: [why: string, own: boolean, books: readonly PositionLine[], are: string[]][] = [
  ['of a confirmed own transaction', true, [debit(-30n)], []],
  ['of a webhook alone', false, [debit(-30n)], ['v1 ethereum:ETH -30']],
  ['of a webhook that was taken back', false, [debit(-30n), takenBack], []],
  ['of nobody: a receipt', false, [receipt(30n)], []],
  [
    'are sums by vault and asset, fees and burned fees included, receipts not',
    false,
    [
      debit(-30n),
      debit(-2n, { change: 'fee' }),
      debit(-1n, { entryId: 9, cause: 'failed-fee', change: 'fee' }),
      debit(-7n, COIN),
      debit(-4n, V2),
      receipt(50n, V1),
    ],
    ['v1 ethereum:ETH -33', 'v1 ethereum:USDC -7', 'v2 ethereum:ETH -4'],
  ],
  [
    'of which one was taken back',
    false,
    [debit(-30n), takenBack, debit(-12n, { entryId: 9 })],
    ['v1 ethereum:ETH -12'],
  ],
];

describe('own debits that custody has not confirmed', () => {
  test.for(DEBITS)('%s', ([, own, books, are]) => {
    const rows = unconfirmedOf(factsOf({ lines: books }), books, { own, awaited: [] });
    expect(rows.map(({ vaultId, asset, amount }) => `${vaultId} ${asset} ${amount}`)).toEqual(are);
  });

  test('name their hash', () => {
    const books = [debit(-30n)];
    const rows = unconfirmedOf(factsOf({ lines: books }), books, { own: false, awaited: [] });
    expect(rows).toEqual([
      {
        vaultId: 'v1',
        network: 'ethereum',
        blockchainHash: '0xa1',
        asset: 'ethereum:ETH',
        amount: '-30',
      },
    ]);
  });
});
