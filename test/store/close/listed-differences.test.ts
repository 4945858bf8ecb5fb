import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeOf, closesOf, dayNumber, lastReport, unsoundCloses } from './closing.ts';
import { openLedger } from '../open-ledger.ts';
import { AT_ADDRESS, change, Service, type WebhookBody } from '../webhook.ts';

const LOCAL = { kind: 'not_read', reason: 'no API', configured: false } as const;

interface Movement {
  readonly vaultId: string;
  readonly asset: string;
  readonly amount: number;
  readonly chainAmount: number;
  /** The day on which each side is delivered; `DAYS` for never. */
  readonly booksOn: number;
  readonly chainOn: number;
}

const DAYS = 4;
const day = fc.nat(DAYS);
const movements = fc.array(
  fc.record<Movement>({
    vaultId: fc.constantFrom('v1', 'v2', 'v3'),
    asset: fc.constantFrom('ethereum:ETH', 'ethereum:USDC'),
    amount: fc.integer({ min: 1, max: 50 }),
    chainAmount: fc.constantFrom(0, 0, 0, 1, -1),
    booksOn: day,
    chainOn: day,
  }),
  { minLength: 1, maxLength: 6 },
);

function bodiesOf(all: readonly Movement[], on: number, service: Service): WebhookBody[] {
  return all.flatMap(({ vaultId, asset, amount, chainAmount, booksOn, chainOn }, index) => {
    const of = { vaultId, blockchainHash: `0x${index}`, transactionId: `tx-${index}` };
    const books = [change(String(amount), { asset })];
    const chain = [change(String(amount + chainAmount), { asset, ...AT_ADDRESS })];
    return [
      ...(booksOn === on ? [service.confirmed(1, { ...of, balanceChanges: books })] : []),
      ...(chainOn === on ? [service.chain('transaction', { ...of, balanceChanges: chain })] : []),
    ];
  });
}

test('the differences listed by hash sum to the total’s, although webhooks are late or missing', async () => {
  const firstNumbered = fc.nat(DAYS - 1);
  await fc.assert(
    fc.asyncProperty(movements, firstNumbered, async (all, numberedFrom) => {
      const open = await openLedger();
      const service = new Service();
      for (let on = 0; on < DAYS; on += 1) {
        await open.deliver(...bodiesOf(all, on, service));
        const rules = on >= numberedFrom ? ({ rules: 2 } as const) : {};
        const cutOffAt = open.at + 1;
        open.at += 1_000;
        const record = { day: dayNumber(on), cutOffAt, custody: LOCAL, ...rules };
        await open.record(closeOf(open, record));
      }
      expect(unsoundCloses(open)).toEqual([]);
      const numbered = closesOf(open).flatMap(({ parsed }) =>
        parsed.version === 2 ? [parsed] : [],
      );
      expect(numbered).toHaveLength(DAYS - numberedFrom);
      open.close();
    }),
    { numRuns: 60 },
  );
});

test('a vault without any chain view is not compared with it', async () => {
  const open = await openLedger();
  const service = new Service();
  const close = async (index: number): Promise<void> => {
    const cutOffAt = open.at + 1;
    open.at += 1_000;
    const record = { day: dayNumber(index), cutOffAt, custody: LOCAL, rules: 2 } as const;
    await open.record(closeOf(open, record));
  };
  await open.deliver(service.confirmed(1));
  await close(0);
  expect(lastReport(open)).toMatchObject({
    totals: [{ chainDifference: null, chainUntold: '100' }],
    differences: [],
  });
  const other = { blockchainHash: '0xb2', balanceChanges: [change('5', AT_ADDRESS)] };
  await open.deliver(service.chain('transaction', other));
  await close(1);
  expect(lastReport(open)).toMatchObject({
    totals: [{ chainDifference: '95', chainUntold: '100' }],
    differences: [
      { blockchainHash: '0xa1', difference: '100', explanation: 'chain_not_told', untold: true },
      { blockchainHash: '0xb2', difference: '-5', explanation: 'unexplained' },
    ],
  });
});
