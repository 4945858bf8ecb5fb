import { expect, test } from 'vitest';
import type { CloseRecord } from '../../src/domain/close-record.ts';
import type { DailyReport } from '../../src/domain/close-report.ts';
import { decode } from '../../src/intake/decode.ts';
import { openForReading } from '../../src/store/sqlite/database.ts';
import { SqliteReads } from '../../src/store/sqlite/sqlite-reads.ts';
import { verify } from '../../src/store/sqlite/verify.ts';
import { closeOf, closesOf, dayNumber, lastReport } from './closing.ts';
import { openLedgerFile, type OpenLedger } from './open-ledger.ts';
import { AT_ADDRESS, change, Service } from './webhook.ts';

const QUIET = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** A day with one deposit, of which the chain view tells another amount, ended an hour ago. */
async function openDay() {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  await open.deliver(
    service.confirmed(1),
    service.chain('transaction', { balanceChanges: [change('90', AT_ADDRESS)] }),
  );
  const cutOffAt = open.at + 1_000;
  open.at += 3_600_000;
  const record = closeOf(open, { day: dayNumber(0), cutOffAt });
  const prepare = async (one: CloseRecord): Promise<string> => {
    const reads = new SqliteReads(openForReading(path));
    try {
      return await reads.prepareClose(one);
    } finally {
      reads.close();
    }
  };
  return { open, path, service, record, prepare };
}

async function close(open: OpenLedger, record: CloseRecord, preparation: string): Promise<string> {
  const [outcome] = await open.commit([
    { kind: 'prepared-close', at: open.at, record, preparation },
  ]);
  return outcome?.kind ?? 'none';
}

function problemsOf(path: string): string[] {
  const { checks } = verify(path, { decode, progress: QUIET });
  return checks.flatMap(({ problems }) => problems);
}

function wordsOf({ totals, differences, inTransit }: DailyReport): string[] {
  return [
    ...totals.map(({ deposits, internal }) => `deposits ${deposits}, internal ${internal}`),
    ...inTransit.map(({ amount }) => `${amount} in transit`),
    ...differences.map(({ explanation }) => explanation),
  ];
}

test('a day that was worked out before is closed as it is when the fact is taken', async () => {
  const { open, path, record, prepare } = await openDay();
  expect(await close(open, record, await prepare(record))).toBe('taken');
  expect(wordsOf(lastReport(open))).toEqual(['deposits 100, internal 0', 'unexplained']);
  expect(problemsOf(path)).toEqual([]);
});

test('a deposit whose hash is told to be our own meanwhile counts as internal', async () => {
  const { open, path, service, record, prepare } = await openDay();
  const preparation = await prepare(record);
  await open.deliver(service.outgoing('submitted', { vaultId: 'v2' }));
  expect(await close(open, record, preparation)).toBe('taken');
  expect(wordsOf(lastReport(open))).toEqual([
    'deposits 0, internal 100',
    '100 in transit',
    'unexplained',
  ]);
  expect(problemsOf(path)).toEqual([]);
});

test.for([
  [
    'timing',
    (open: OpenLedger, service: Service) =>
      open.deliver(service.chain('rollback'), service.chain('transaction')),
  ],
  ['break', (open: OpenLedger) => open.run()],
] as const)('a difference that something explains meanwhile: %s', async ([explanation, happen]) => {
  const { open, path, service, record, prepare } = await openDay();
  const preparation = await prepare(record);
  await happen(open, service);
  expect(await close(open, record, preparation)).toBe('taken');
  expect(wordsOf(lastReport(open))).toEqual(['deposits 100, internal 0', explanation]);
  expect(problemsOf(path)).toEqual([]);
});

test('what was worked out for another fact, or before another close, is not used', async () => {
  const { open, path, record, prepare } = await openDay();
  const other = await prepare({ ...record, graceMs: 7_200_000 });
  expect(await close(open, record, other)).toBe('taken');
  const next = closeOf(open, { day: dayNumber(1), cutOffAt: open.at - 1_000 });
  const third = { ...next, day: dayNumber(2) };
  const early = await prepare(third);
  expect(await close(open, next, await prepare(next))).toBe('taken');
  const last = { ...third, cutOffAt: next.cutOffAt + 1 };
  expect(await close(open, last, early)).toBe('taken');
  expect(closesOf(open)).toHaveLength(3);
  expect(problemsOf(path)).toEqual([]);
});

test('the writer goes by what was worked out, and verify works it out anew', async () => {
  const { open, path, record, prepare } = await openDay();
  const preparation = await prepare(record);
  const wrong = preparation.replace('"lastPostedAt":', '"lastPostedAt":1');
  expect(wrong).not.toBe(preparation);
  expect(await close(open, record, wrong)).toBe('taken');
  expect(problemsOf(path).join()).toContain('last_posted_at');
});
