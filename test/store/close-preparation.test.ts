import { expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import type { CloseRecord } from '../../src/domain/close-record.ts';
import type { DailyReport } from '../../src/domain/close-report.ts';
import type { ExemptionRule } from '../../src/domain/exemption.ts';
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

const BY_KNOWN = 'exempt: conservation, exempt by the rule "known" of fin: ticket 1';

test.for([
  ['comes to be exempt', [], [RULE], BY_KNOWN],
  ['is exempt as before', [RULE], [RULE], BY_KNOWN],
  [
    'is exempt for another reason',
    [RULE],
    [{ ...RULE, reason: 'ticket 2' }],
    'exempt: conservation, exempt by the rule "known" of fin: ticket 2',
  ],
  [
    'is exempt by another rule',
    [RULE],
    [{ ...RULE, rule: 'other' }],
    'exempt: conservation, exempt by the rule "other" of fin: ticket 1',
  ],
  [
    'is beyond its rule',
    [RULE],
    [{ ...RULE, direction: '>=', amount: Amount(11n) }],
    'break: conservation: the books moved 100 ethereum:ETH where the chain moved 90',
  ],
] as const)('a difference that meanwhile %s', async ([, before, then, says]) => {
  const { open, path, record, prepare } = await openDay();
  await exemptNow(open, ...before);
  const today = { ...record, exemptionsExplain: true } as const;
  const preparation = await prepare(today);
  await exemptNow(open, ...then);
  expect(await close(open, today, preparation)).toBe('taken');
  const told = lastReport(open).differences.map((one) => `${one.explanation}: ${one.detail}`);
  expect(told).toEqual([says]);
  expect(problemsOf(path)).toEqual([]);
});

test('a difference whose rule is taken out meanwhile has no explanation until the next run', async () => {
  const { open, path, record, prepare } = await openDay();
  await exemptNow(open, RULE);
  const today = { ...record, exemptionsExplain: true } as const;
  const preparation = await prepare(today);
  await open.decide({ kind: 'exemptions', rules: [] }, 'config');
  expect(await close(open, today, preparation)).toBe('taken');
  expect(wordsOf(lastReport(open))).toEqual(['deposits 100, internal 0', 'unexplained']);
  expect(problemsOf(path)).toEqual([]);
});

test('a day that was closed before exemptions explained anything keeps its text', async () => {
  const { open, path, record, prepare } = await openDay();
  await exemptNow(open, RULE);
  expect(await close(open, record, await prepare(record))).toBe('taken');
  expect(wordsOf(lastReport(open))).toEqual(['deposits 100, internal 0', 'unexplained']);
  const sealed = closesOf(open);
  const next = closeOf(open, {
    day: dayNumber(1),
    cutOffAt: open.at - 1_000,
    exemptionsExplain: true,
  });
  expect(await close(open, next, await prepare(next))).toBe('taken');
  expect(lastReport(open).differences.map(({ explanation }) => explanation)).toEqual(['exempt']);
  expect(closesOf(open).slice(0, 1)).toEqual(sealed);
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
