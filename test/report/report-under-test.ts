import type { DailyReport } from '../../src/domain/close/report.ts';
import { documentOf, type DocumentBody, type Format } from '../../src/report/document.ts';
import { Amount } from '../../src/domain/money/amount.ts';
import type { SignedReport } from '../../src/report/signed-report.ts';
import type { ClosedReport } from '../../src/store/answers.ts';

export const HUGE = `1${'0'.repeat(59)}`;

/** A report with every kind of entry, and with names that contain markup. */
export const REPORT: DailyReport = {
  version: 1,
  day: '2025-11-20',
  timezone: 'Europe/Zurich',
  from: '2025-11-19T23:00:00.000Z',
  cutOffAt: '2025-11-20T23:00:00.000Z',
  closedAt: '2025-11-20T23:05:00.000Z',
  status: 'exceptions',
  exceptions: [{ kind: 'unexplained_difference', detail: '1 difference has no explanation' }],
  journal: { afterSeq: 10, throughSeq: 20, commitNumber: 7, sealHash: 'ab'.repeat(32) },
  previous: { day: '2025-11-19', reportHash: 'cd'.repeat(32) },
  totals: [
    {
      vaultId: 'hot 1:main',
      asset: 'ethereum:ETH',
      decimals: 18,
      opening: '1500000000000000000',
      deposits: '2000000000000000000',
      withdrawals: '500000000000000000',
      fees: '21000000000000',
      rebates: '1',
      mints: '2',
      internal: '-300000000000000000',
      change: '0',
      adjustments: '-1',
      closing: '2699979000000000002',
      chainClosing: '2699979000000000002',
      chainDifference: '0',
      chainUntold: '0',
      custodyClosing: '2699979000000000001',
      custodyDifference: '1',
    },
    {
      vaultId: '=HYPERLINK("http://evil")',
      asset: 'evil:"coin"; <b>',
      decimals: null,
      opening: '-5',
      deposits: HUGE,
      withdrawals: '0',
      fees: '0',
      rebates: '0',
      mints: '0',
      internal: '0',
      change: '0',
      adjustments: '0',
      closing: (BigInt(HUGE) - 5n).toString(),
      chainClosing: '0',
      chainDifference: '0',
      chainUntold: '0',
      custodyClosing: null,
      custodyDifference: null,
    },
    {
      vaultId: 'quiet',
      asset: 'bitcoin:BTC',
      decimals: 8,
      opening: '7',
      deposits: '0',
      withdrawals: '0',
      fees: '0',
      rebates: '0',
      mints: '0',
      internal: '0',
      change: '0',
      adjustments: '0',
      closing: '7',
      chainClosing: '7',
      chainDifference: '0',
      chainUntold: '0',
      custodyClosing: '7',
      custodyDifference: '0',
    },
  ],
  custody: {
    compared: true,
    readAt: '2025-11-20T23:05:00.000Z',
    transactions: 12,
    changed: 3,
    unreadable: 0,
    requests: 1,
    watermark: null,
  },
  differences: [
    {
      against: 'custody',
      vaultId: 'hot 1:main',
      network: 'ethereum',
      blockchainHash: '0xa1',
      asset: 'ethereum:ETH',
      expected: '0',
      actual: '1',
      difference: '1',
      explanation: 'unexplained',
      breakId: null,
      detail: 'no break is open about it',
    },
  ],
  inTransit: [
    {
      kind: 'internal',
      vaultId: 'hot 1:main',
      network: 'ethereum',
      blockchainHash: '0xb2',
      asset: 'ethereum:ETH',
      amount: '-300000000000000000',
    },
  ],
  priorDay: [
    {
      reason: 'late_event',
      day: '2025-11-19',
      vaultId: 'hot 1:main',
      network: 'ethereum',
      blockchainHash: '0xc3',
      asset: 'ethereum:ETH',
      amount: '40',
      entryId: 12_000_000,
      eventAt: '2025-11-19T22:59:59.000Z',
      detail: 'told after the cut-off',
    },
  ],
  openBreaks: [
    {
      breakId: 'brk_1',
      type: 'conservation',
      severity: 'warning',
      state: 'open',
      vaultId: 'hot 1:main',
      network: 'ethereum',
      blockchainHash: '0xd4',
      asset: 'ethereum:ETH',
      transactionId: null,
      depositId: null,
      expected: '5',
      actual: '4',
      difference: '-1',
      detail: 'the books moved 4, the chain "5", <script>alert(1)</script>',
      openedAt: '2025-11-17T20:00:00.000Z',
      ageSeconds: 270_000,
    },
  ],
  ageing: { under1Day: 0, under7Days: 1, under30Days: 0, over30Days: 0 },
};

const [ETH, EVIL, BTC] = REPORT.totals;
const BREAK = REPORT.openBreaks[0];
if (ETH === undefined || EVIL === undefined || BTC === undefined || BREAK === undefined) {
  throw new Error('the report under test lacks something');
}

const MOVED = {
  vaultId: 'hot 1:main',
  network: 'ethereum',
  blockchainHash: '0xe5',
  asset: 'ethereum:ETH',
} as const;

/** What version 2 adds. Two vaults hold ether. */
export const NEWER = {
  version: 2,
  status: 'balanced with open differences',
  exceptions: [],
  openDifferences: [
    {
      against: 'custody',
      asset: 'ethereum:ETH',
      count: 3,
      difference: '-1210000000000000000',
      absolute: '1390000000000000000',
    },
  ],
  totals: [
    {
      ...ETH,
      custodyRead: '2699979000000000041',
      custodyAfterCutOff: '40',
      custodyBurnedFees: '0',
    },
    {
      ...ETH,
      vaultId: 'cold',
      custodyDifference: '-3',
      custodyRead: '2699979000000000001',
      custodyAfterCutOff: '0',
      custodyBurnedFees: '0',
    },
    EVIL,
    BTC,
  ],
  custodyAfterCutOff: [
    {
      ...MOVED,
      transactionId: 'tx-after',
      amount: '40',
      at: '2025-11-20T23:01:00.000Z',
      datedBy: 'block',
    },
  ],
  unconfirmed: [{ ...MOVED, blockchainHash: '0xf6', amount: '-77' }],
  priorDay: [
    ...REPORT.priorDay.map((one) => ({ ...one, datedBy: 'custody' as const })),
    {
      ...MOVED,
      reason: 'reclassified',
      day: '2025-11-19',
      amount: '-111',
      entryId: null,
      eventAt: null,
      datedBy: null,
      from: 'withdrawals',
      to: 'internal',
      detail: 'counted as internal now',
    },
  ],
  laterBreaks: [
    { ...BREAK, breakId: 'brk_later', openedAt: '2025-11-20T23:02:00.000Z', ageSeconds: 0 },
  ],
  vaultNames: { 'hot 1:main': 'Hot <i>wallet', cold: '=Cold' },
} satisfies Partial<DailyReport>;

/** A withdrawal with its fee, as a webhook reported it. */
export const MOVEMENTS: SignedReport['movements'] = {
  isWhole: false,
  items: [
    {
      vaultId: 'hot 1:main',
      asset: 'ethereum:ETH',
      decimals: 18,
      network: 'ethereum',
      blockchainHash: '0xa7',
      amounts: { withdrawals: Amount(-500000000000000000n), fees: Amount(-21000000000000n) },
      entries: [
        {
          entryId: 17,
          seq: 12,
          recordedAt: Date.parse('2025-11-20T12:00:00Z'),
          source: 'webhook',
          change: 'transfer',
          amount: Amount(-500000000000000000n),
          accountId: 'acc-1',
          accountName: '=Hot <b>account',
          addressId: 'adr-1',
          addressName: 'Treasury',
          memo: null,
          transactionId: 'tx-1',
          notificationId: 'ntf-1',
        },
      ],
    },
  ],
};

export async function rendered(
  format: Format,
  more: Partial<DailyReport> = {},
  movements?: SignedReport['movements'],
): Promise<string> {
  return Buffer.from(await bytesOf(format, more, movements)).toString('utf8');
}

/** The test report in a format; `more` replaces its own members. */
export async function bytesOf(
  format: Format,
  more: Partial<DailyReport> = {},
  movements: SignedReport['movements'] = { items: [], isWhole: true },
): Promise<DocumentBody> {
  const report = JSON.stringify({ ...REPORT, ...more });
  const closed: ClosedReport = {
    close: {
      day: REPORT.day,
      seq: 21,
      timezone: REPORT.timezone,
      cutOffAt: Date.parse(REPORT.cutOffAt),
      closedAt: Date.parse(REPORT.closedAt),
      throughSeq: 20,
      commitNumber: 7,
      sealHash: 'ab'.repeat(32),
      status: 'exceptions',
      custodyCompared: true,
      report,
      reportHash: 'ef'.repeat(32),
      previousReportHash: 'cd'.repeat(32),
    },
    signatures: [
      {
        role: 'preparer',
        person: 'ann',
        reason: '=1+1',
        reportHash: 'ef'.repeat(32),
        signedAt: Date.parse('2025-11-21T08:00:00Z'),
      },
    ],
  };
  return (await documentOf(closed, format, movements)).body;
}
