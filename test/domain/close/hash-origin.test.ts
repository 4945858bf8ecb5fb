import { describe, expect, test } from 'vitest';
import type { CustodyPart, HashFacts } from '../../../src/domain/close/hash-facts.ts';
import {
  ownEvidenceOf,
  unconfirmedOf,
  originNow,
  type OwnEvidence,
} from '../../../src/domain/close/hash-origin.ts';
import type { CloseRecord } from '../../../src/domain/close/record.ts';
import { AssetId, TransactionId } from '../../../src/domain/ids.ts';
import type { PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, HASH_KEY } from './day-lines.ts';
import { debit, receipt, takenBack, text } from './hash-origin-lines.ts';
import { at, NOT_READ, RECORD, V1, V2 } from './inputs.ts';

const NO_API = { kind: 'not_read', reason: 'no API', configured: false } as const;

/** A day under rules 2, by how custody was read. */
const READ: CloseRecord = { ...RECORD, rules: 2 };
const DOWN: CloseRecord = { ...NOT_READ, rules: 2 };
const WITHOUT_API: CloseRecord = { ...RECORD, custody: NO_API, rules: 2 };

const COIN = { asset: AssetId('ethereum:USDC') };

const EVIDENCE: [why: string, record: CloseRecord, by: OwnEvidence][] = [
  ['rules 1 believe any webhook', RECORD, 'any-webhook'],
  [
    'rules 1 without a custody API believe any webhook',
    { ...RECORD, custody: NO_API },
    'any-webhook',
  ],
  ['rules 2 want custody’s confirmation', READ, 'confirmed'],
  ['rules 2 want it also while the API is down', DOWN, 'confirmed'],
  ['rules 2 without a custody API believe webhooks that are not refuted', WITHOUT_API, 'unrefuted'],
];

test.for(EVIDENCE)('an own transaction by its evidence: %s', ([, record, by]) => {
  expect(ownEvidenceOf(record)).toBe(by);
});

const booksLater = { entryId: 7, seq: 31, postedAt: CUT_OFF };

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
    originNow(
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
