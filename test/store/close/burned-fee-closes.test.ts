import { expect, test } from 'vitest';
import type { CustodyReading } from '../../../src/domain/close/record.ts';
import { closeOf, dayNumber, lastReport, unsoundCloses } from './closing.ts';
import { sent } from '../evidence.ts';
import { openLedger, type OpenLedger } from '../open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../webhook.ts';

/** The API lists the failed transaction without its amounts. */
function reading(readAt: number): CustodyReading {
  const quiet = { unreadable: 0, counted: [], pending: [] };
  return { kind: 'read', readAt, requests: 1, watermark: readAt, transactions: 1, ...quiet };
}

async function close(open: OpenLedger, day: number, rules: 1 | 2): Promise<void> {
  const cutOffAt = open.at + 1;
  open.at += 60_000;
  const record = { day: dayNumber(day), cutOffAt, custody: reading(open.at) };
  await open.record(closeOf(open, rules === 1 ? record : { ...record, rules }));
}

/** A withdrawal of v1 failed on the chain and burned a fee of 2. */
async function burnedLedger(): Promise<OpenLedger> {
  const open = await openLedger();
  const service = new Service();
  const fee = [change('-2', { ...AT_ADDRESS, tags: ['fee'] })];
  await open.deliver(
    service.outgoing('failed'),
    service.chain('transaction', { balanceChanges: fee }),
  );
  const transaction = sent({ status: 'failed', changes: null });
  await open.record({ kind: 'outgoing', transaction, graceMs: 0 });
  return open;
}

test('a burned fee counts for custody from its day on, and no day shows a difference', async () => {
  const open = await burnedLedger();
  await close(open, 0, 2);
  expect(lastReport(open)).toMatchObject({
    status: 'balanced',
    differences: [],
    totals: [{ fees: '2', custodyBurnedFees: '-2', custodyClosing: '-2', custodyDifference: '0' }],
  });
  await close(open, 1, 2);
  expect(lastReport(open)).toMatchObject({
    status: 'balanced',
    differences: [],
    totals: [{ fees: '0', custodyBurnedFees: '0', custodyClosing: '-2', custodyDifference: '0' }],
  });
  expect(unsoundCloses(open)).toEqual([]);
});

test('the first day under rules 2 ends a burned-fee difference that rules 1 listed each day', async () => {
  const open = await burnedLedger();
  await close(open, 0, 1);
  expect(lastReport(open).differences).toMatchObject([{ explanation: 'burned_fee' }]);
  await close(open, 1, 2);
  expect(lastReport(open)).toMatchObject({
    differences: [],
    totals: [{ custodyBurnedFees: '-2', custodyDifference: '0' }],
  });
  await close(open, 2, 2);
  expect(lastReport(open).differences).toEqual([]);
  expect(unsoundCloses(open)).toEqual([]);
});
