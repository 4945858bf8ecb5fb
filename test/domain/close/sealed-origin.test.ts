import { expect, test } from 'vitest';
import { originInReport } from '../../../src/domain/close/hash-origin.ts';
import type { ReportInTransit, ReportUnconfirmed } from '../../../src/domain/close/report.ts';
import { AssetId } from '../../../src/domain/ids.ts';
import type { PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { HASH_KEY } from './day-lines.ts';
import { V1 } from './inputs.ts';
import { debit, receipt, takenBack, text } from './hash-origin-lines.ts';

const COIN = { asset: AssetId('ethereum:USDC') };

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

test.for(SEALED)(
  'what a sealed report knew of a hash: %s',
  ([, { version, inTransit = [], unconfirmed = [], books = [] }, is]) => {
    expect(text(originInReport({ version, inTransit, unconfirmed }, books))).toBe(is);
  },
);
