import { expect, test } from 'vitest';
import type { CloseRecord, CountedEffect } from '../../../src/domain/close/record.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import { closeOf, dayNumber, lastReport, unsoundCloses } from './closing.ts';
import { openLedger, START, type OpenLedger } from '../open-ledger.ts';
import { ETH } from '../webhook.ts';

const DAY_MS = 86_400_000;

/** What the custody API counts for transaction `tx`, changed at `updatedAt`; 0n for nothing. */
function counts(amount: bigint, updatedAt: number): CountedEffect {
  return {
    transactionId: TransactionId('tx'),
    vaultId: VaultId('v1'),
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash('0xc1'),
    kind: 'incoming',
    amounts: amount === 0n ? [] : [{ asset: AssetId(ETH), amount: Amount(amount) }],
    updatedAt,
    ...(amount === 0n ? {} : { at: updatedAt, datedBy: 'custody' }),
  };
}

type Marks = Pick<CloseRecord, 'carriesAfterCutOff'>;

/** Closes a day at its cut-off, by a reading on the evening of the third day. */
async function closeLate(
  open: OpenLedger,
  day: number,
  { counted = [], ...marks }: Marks & { counted?: readonly CountedEffect[] },
): Promise<void> {
  open.at = START + 3 * DAY_MS - 1_000 + day;
  const read = { requests: 1, watermark: open.at, transactions: 1, unreadable: 0, pending: [] };
  const custody = { kind: 'read', readAt: open.at, counted, ...read } as const;
  const cutOffAt = START + (day + 1) * DAY_MS;
  await open.record(closeOf(open, { day: dayNumber(day), cutOffAt, custody, rules: 2, ...marks }));
}

/** The first day is closed on the third, where the custody API shows 5 more. */
async function afterLateClose(marks: Marks): Promise<OpenLedger> {
  const open = await openLedger();
  await closeLate(open, 0, { counted: [counts(5n, START + 2 * DAY_MS + 1_000)], ...marks });
  expect(lastReport(open).totals).toMatchObject([
    { custodyRead: '5', custodyAfterCutOff: '5', custodyClosing: '0' },
  ]);
  return open;
}

const LATER = START + 2 * DAY_MS + 2_000;

test.for([
  ['is the same', [], '5', '5'],
  ['has another amount', [counts(6n, LATER)], '6', '6'],
  ['was rolled back', [counts(0n, LATER)], undefined, undefined],
] as const)(
  'a movement of the third day that %s is not in the custody figure of the second',
  async ([_, counted, custodyRead, custodyAfterCutOff]) => {
    const marks = { carriesAfterCutOff: true } as const;
    const open = await afterLateClose(marks);
    await closeLate(open, 1, { counted, ...marks });
    const [total] = lastReport(open).totals;
    expect([total?.custodyRead, total?.custodyAfterCutOff]).toEqual([
      custodyRead,
      custodyAfterCutOff,
    ]);
    expect([total?.custodyClosing ?? '0', lastReport(open).differences]).toEqual(['0', []]);
    expect(unsoundCloses(open)).toEqual([]);
  },
);

test('a day that was closed before movements were carried keeps its report', async () => {
  const open = await afterLateClose({});
  await closeLate(open, 1, {});
  expect(lastReport(open).totals).toMatchObject([
    { custodyRead: '5', custodyAfterCutOff: '0', custodyClosing: '5' },
  ]);
});
