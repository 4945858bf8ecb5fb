import { expect, test } from 'vitest';
import type { CloseRecord } from '../../../src/domain/close/record.ts';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import type { ExemptionRule } from '../../../src/domain/break/exemption.ts';
import { decode } from '../../../src/intake/decode.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import type { ComputedClose } from '../../../src/store/answers.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { rebuild } from '../../../src/store/sqlite/audit/rebuild.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import { closeOf, closesOf, dayNumber, lastReport } from './closing.ts';
import { OpenLedger, openLedgerFile } from '../open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../webhook.ts';

const QUIET = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** A day that ended an hour ago, with one deposit that the chain view reports differently. */
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
  const compute = async (one: CloseRecord): Promise<ComputedClose> => {
    const reads = new SqliteReads(openForReading(path));
    try {
      return await reads.computeDay(one, open.at);
    } finally {
      reads.close();
    }
  };
  return { open, path, service, record, compute };
}

async function close(
  open: OpenLedger,
  record: CloseRecord,
  { asOf, computed }: ComputedClose,
): Promise<string> {
  const [outcome] = await open.commit([
    { kind: 'custody-record', at: open.at, record: { ...record, asOf }, computed },
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

const RULE: ExemptionRule = {
  rule: 'known',
  vaultId: 'v1',
  until: Number.MAX_SAFE_INTEGER,
  reason: 'ticket 1',
  owner: 'fin',
};

async function exemptNow(open: OpenLedger, ...rules: ExemptionRule[]): Promise<void> {
  await open.decide({ kind: 'exemptions', rules }, 'config');
  await open.run();
}

const WITHOUT_LATER_FACTS = ['deposits 100, internal 0', 'unexplained'];

test.for([
  ['nothing', () => Promise.resolve(), ['deposits 0, internal 0', 'unexplained']],
  [
    'an own transaction',
    (open: OpenLedger, service: Service) =>
      open.deliver(service.outgoing('submitted', { vaultId: 'v2' })),
    ['deposits -100, internal 100', '100 in transit', 'unexplained'],
  ],
  [
    'a corrected chain view',
    (open: OpenLedger, service: Service) =>
      open.deliver(service.chain('rollback'), service.chain('transaction')),
    ['deposits 0, internal 0'],
  ],
  ['a break', (open: OpenLedger) => open.run(), ['deposits 0, internal 0', 'break']],
  [
    'an exemption',
    (open: OpenLedger) => exemptNow(open, RULE),
    ['deposits 0, internal 0', 'exempt'],
  ],
] as const)(
  'a fact after a report’s position counts in the next day’s report: %s',
  async ([, happen, next]) => {
    const { open, path, service, record, compute } = await openDay();
    const today = { ...record, exemptionsExplain: true } as const;
    const computed = await compute(today);
    await happen(open, service);
    expect(await close(open, today, computed)).toBe('taken');
    expect(wordsOf(lastReport(open))).toEqual(WITHOUT_LATER_FACTS);
    const cutOffAt = open.at + 1_000;
    open.at += 3_600_000;
    const tomorrow = closeOf(open, { day: dayNumber(1), cutOffAt, exemptionsExplain: true });
    expect(await close(open, tomorrow, await compute(tomorrow))).toBe('taken');
    expect(wordsOf(lastReport(open))).toEqual(next);
    expect(problemsOf(path)).toEqual([]);
  },
);

test('a rebuild seals the same reports when facts came between report and close', async () => {
  const { open, path, service, record, compute } = await openDay();
  const computed = await compute(record);
  await open.deliver(service.outgoing('submitted', { vaultId: 'v2' }));
  expect(await close(open, record, computed)).toBe('taken');
  const sealed = closesOf(open);
  open.close();
  rebuild(path, { decode, progress: QUIET, acceptFeed: false });
  expect(closesOf(new OpenLedger(path))).toEqual(sealed);
});

test('a day closed before exemptions explained differences keeps its report', async () => {
  const { open, path, record, compute } = await openDay();
  await exemptNow(open, RULE);
  expect(await close(open, record, await compute(record))).toBe('taken');
  expect(wordsOf(lastReport(open))).toEqual(WITHOUT_LATER_FACTS);
  const sealed = closesOf(open);
  const next = closeOf(open, {
    day: dayNumber(1),
    cutOffAt: open.at - 1_000,
    exemptionsExplain: true,
  });
  expect(await close(open, next, await compute(next))).toBe('taken');
  expect(lastReport(open).differences.map(({ explanation }) => explanation)).toEqual(['exempt']);
  expect(closesOf(open).slice(0, 1)).toEqual(sealed);
  expect(problemsOf(path)).toEqual([]);
});

test('a day that was computed before another close is refused', async () => {
  const { open, path, record, compute } = await openDay();
  const next = { ...record, day: dayNumber(1), cutOffAt: record.cutOffAt + 1 };
  const early = await compute(next);
  expect(await close(open, record, await compute(record))).toBe('taken');
  expect(await close(open, next, early)).toBe('unchanged');
  expect(await close(open, next, await compute(next))).toBe('taken');
  expect(problemsOf(path)).toEqual([]);
});

test('a close with a position but without a report is refused', async () => {
  const { open, record, compute } = await openDay();
  const { asOf } = await compute(record);
  expect(await open.record({ ...record, asOf })).toEqual({ kind: 'unchanged' });
});

test('verify recomputes every report and finds one that differs from the books', async () => {
  const { open, path, record, compute } = await openDay();
  const day = await compute(record);
  const wrong = day.computed.replace('"lastPostedAt":', '"lastPostedAt":1');
  expect(wrong).not.toBe(day.computed);
  expect(await close(open, record, { ...day, computed: wrong })).toBe('taken');
  expect(problemsOf(path).join()).toContain('last_posted_at');
});
