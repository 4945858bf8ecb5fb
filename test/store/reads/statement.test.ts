import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { StatementAnswer, StatementQuery } from '../../../src/store/statement.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { readStatement } from '../../../src/store/sqlite/reads/books/statement.ts';
import { factOf, openLedgerFile, type OpenLedger } from '../open-ledger.ts';
import { readingDatabase } from './reading-database.ts';
import { change, ETH, MINED, Service } from '../webhook.ts';
import { clockedSteps, close, DAY_MS, midnightAfter, play, someMoments } from './clocked-days.ts';
import { openStore } from './open-store.ts';

const ALL = { page: 0, pageSize: 1_000_000 };

const POSITION = {
  view: 'books',
  vaultId: 'v1',
  accountId: 'acc-1',
  addressId: 'adr-1',
  memo: null,
  asset: ETH,
} as const;

type Position = Omit<StatementQuery, 'from' | 'to'>;

/** Every position that ever had a posting. */
function positionsOf(open: OpenLedger): Position[] {
  const orNull = (part: string): string | null => (part === '' ? null : part);
  return open
    .rows<Record<'view' | 'vault_id' | 'account_id' | 'address_id' | 'memo' | 'asset', string>>(
      "SELECT * FROM ledger_accounts WHERE kind = 'position'",
    )
    .map((row) => ({
      view: row.view === 'chain' ? 'chain' : 'books',
      vaultId: row.vault_id,
      accountId: orNull(row.account_id),
      addressId: orNull(row.address_id),
      memo: orNull(row.memo),
      asset: row.asset,
    }));
}

/** What the postings of a position say without any sealed day: sums before and lines within. */
function folded(open: OpenLedger, { from, to, ...one }: StatementQuery) {
  const rows = open.rows<{ at: number; amount: string; entry_id: number; line: number }>(
    `SELECT e.posted_at AS at, p.amount, p.entry_id, p.line
     FROM postings AS p JOIN entries AS e USING (entry_id) JOIN ledger_accounts AS a USING (ledger_account)
     WHERE a.kind = 'position' AND a.view = ? AND a.vault_id = ? AND a.account_id = ?
       AND a.address_id = ? AND a.memo = ? AND a.asset = ? ORDER BY p.entry_id, p.line`,
    one.view,
    one.vaultId,
    one.accountId ?? '',
    one.addressId ?? '',
    one.memo ?? '',
    one.asset,
  );
  const sum = (list: typeof rows): bigint =>
    list.reduce((all, { amount }) => all + BigInt(amount), 0n);
  const opening = sum(rows.filter(({ at }) => at < from));
  const within = rows.filter(({ at }) => at >= from && at < to);
  let balance = opening;
  const lines = within.map(({ amount, ...key }) => ({
    ...key,
    amount: BigInt(amount),
    balance: (balance += BigInt(amount)),
  }));
  return { opening, closing: opening + sum(within), lines };
}

function shown(answer: StatementAnswer) {
  if (answer.kind !== 'statement') throw new Error(answer.kind);
  const { opening, closing, items } = answer;
  const lines = items.map(({ postedAt, entryId, line, amount, balance }) => ({
    at: postedAt,
    entry_id: entryId,
    line,
    amount,
    balance,
  }));
  return { opening, closing, lines };
}

test('opening and lines come to the closing for any position, period, closes and clock', async () => {
  let [daysClosed, linesRead] = [0, 0];
  const property = fc.asyncProperty(clockedSteps, someMoments(2), async (steps, moments) => {
    const { open, path } = await openLedgerFile();
    const reads = new SqliteReads(openForReading(path));
    daysClosed += await play(open, steps);
    const edges = [...moments, ...[0, 2].map(midnightAfter)];
    const posted = open.rows<{ at: number }>('SELECT DISTINCT posted_at AS at FROM entries');
    const times = [...edges, ...posted.slice(0, 2).map(({ at }) => at)].toSorted((a, b) => a - b);
    for (const position of positionsOf(open)) {
      for (const [index, from] of times.entries()) {
        for (const to of times.slice(index + 1)) {
          const query = { ...position, from, to };
          const is = shown(await reads.statement(query, ALL));
          expect(is).toEqual(folded(open, query));
          const sum = is.lines.reduce<bigint>((all, { amount }) => all + amount, is.opening);
          expect(is.closing).toBe(sum);
          linesRead += is.lines.length;
        }
      }
    }
    reads.close();
    open.close();
  });
  await fc.assert(property, { numRuns: 8, seed: 20260211 });
  expect(daysClosed).toBeGreaterThan(5);
  expect(linesRead).toBeGreaterThan(100);
  await fc.assert(property, { numRuns: 4 });
});

test('a line names its fact, its webhook, its hash and the entry that it reverses', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(
    service.confirmed(1),
    service.outgoing('mined', { blockchainHash: '0xb2', balanceChanges: MINED }),
    service.incoming('rollback'),
  );
  const answer = await reads.statement({ ...POSITION, from: 0, to: open.at + 1 }, ALL);
  if (answer.kind !== 'statement') throw new Error(answer.kind);
  const [deposit] = answer.items;
  expect(
    answer.items.map(({ seq, notificationId, cause, change: kind, amount, balance }) =>
      [seq, notificationId, cause, kind, amount, balance].join(' '),
    ),
  ).toEqual([
    '2 ntf-1 incoming transfer 100 100',
    '3 ntf-2 mined transfer -30 70',
    '3 ntf-2 mined fee -2 68',
    '4 ntf-3 incoming transfer -100 -32',
  ]);
  expect(answer.items.map(({ reverses }) => reverses)).toEqual([
    null,
    null,
    null,
    deposit?.entryId,
  ]);
  expect(answer.items[1]).toMatchObject({
    blockchainHash: '0xb2',
    network: 'ethereum',
    transactionId: 'wd-tx',
    source: 'webhook',
  });
  expect([answer.opening, answer.closing, answer.journalSeq]).toEqual([0n, -32n, 4]);
});

test('amounts of sixty digits are exact, and a page keeps the running balance', async () => {
  const { open, reads, service } = await openStore();
  const large = 10n ** 60n + 1n;
  for (const hash of ['0xa', '0xb', '0xc']) {
    const body = { blockchainHash: hash, balanceChanges: [change(large)] };
    await open.deliver(service.confirmed(1, body));
  }
  const query = { ...POSITION, from: 0, to: open.at + 1 };
  const page = await reads.statement(query, { page: 1, pageSize: 2 });
  if (page.kind !== 'statement') throw new Error(page.kind);
  expect(page.items.map(({ balance }) => balance)).toEqual([3n * large]);
  expect([page.total, page.closing]).toEqual([3, 3n * large]);
});

test('more postings than one page are all read', async () => {
  const { open, reads, service } = await openStore();
  const bodies = Array.from({ length: 2_003 }, (_, index) =>
    service.confirmed(1, { blockchainHash: `0x${index}`, balanceChanges: [change('2')] }),
  );
  await open.deliverTogether(...bodies);
  const answer = await reads.statement({ ...POSITION, from: 0, to: open.at + 1 }, ALL);
  expect(shown(answer).closing).toBe(4_006n);
  expect(shown(answer).lines).toHaveLength(2_003);
});

test('a position without any posting is unknown, and one part less is another position', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.confirmed(1));
  for (const other of [
    { vaultId: 'v2' },
    { accountId: null },
    { addressId: null },
    { memo: '7' },
    { asset: 'ethereum:USDC' },
    { view: 'chain' },
  ] as const) {
    const query = { ...POSITION, ...other, from: 0, to: open.at + 1 };
    expect(await reads.statement(query, ALL)).toEqual({ kind: 'unknown' });
  }
});

/** Three days with a deposit each in the position; the first two are closed. */
async function threeDays() {
  const { open, path } = await openLedgerFile();
  const db = readingDatabase(path);
  onTestFinished(() => db.destroy());
  const service = new Service();
  for (const day of [0, 1, 2]) {
    const noon = midnightAfter(day) - DAY_MS / 2;
    const body = { blockchainHash: `0x${day}` };
    await open.commit([factOf(service.confirmed(1, body), noon)]);
    if (day < 2) await close(open, day, midnightAfter(day));
  }
  return { open, db };
}

test('days closed before the period are not read', async () => {
  const { open, db } = await threeDays();
  const query = { ...POSITION, from: midnightAfter(0), to: midnightAfter(2) };
  const whole = shown(await readStatement(db, query, { page: ALL }));
  expect([whole.opening, whole.closing]).toEqual([100n, 300n]);
  // Only the sealed positions remain of the first day.
  open.db.pragma('foreign_keys = OFF');
  open.db.exec(`DROP TRIGGER postings_stay;
    DELETE FROM postings WHERE entry_id IN (SELECT entry_id FROM entries WHERE posted_at < ${midnightAfter(0)})`);
  expect(shown(await readStatement(db, query, { page: ALL }))).toEqual(whole);
});

test('postings that do not come to the sealed positions are refused as damage', async () => {
  const { open, db } = await threeDays();
  open.db.exec(`DROP TRIGGER postings_keep;
    UPDATE postings SET amount = '101' WHERE entry_id = (SELECT max(entry_id) FROM entries WHERE posted_at < ${midnightAfter(1)}) AND amount = '100'`);
  const query = { ...POSITION, from: midnightAfter(0), to: midnightAfter(2) };
  await expect(readStatement(db, query, { page: ALL })).rejects.toThrow(
    /sum to 101, not to 100: run counterfoil verify/,
  );
});

test('too long a period is refused with the latest end that fits', async () => {
  const { db } = await threeDays();
  const query = { ...POSITION, from: 0, to: midnightAfter(2) };
  const bounded = (linesMax: number, postingsMax: number) =>
    readStatement(db, query, { page: ALL, bounds: { linesMax, postingsMax } });
  const noon = (day: number): number => midnightAfter(day) - DAY_MS / 2;
  expect(await bounded(2, 1_000)).toEqual({
    kind: 'too_long',
    limit: 'lines',
    max: 2,
    fitsUntil: noon(2),
  });
  expect(await bounded(0, 1_000)).toMatchObject({ limit: 'lines', fitsUntil: noon(0) });
  expect(await bounded(3, 1_000)).toMatchObject({ kind: 'statement', total: 3 });
  // The three postings since the beginning are read, even for a period that ends after the first.
  expect(await bounded(3, 2)).toMatchObject({ limit: 'postings', fitsUntil: null });
  const bounds = { linesMax: 3, postingsMax: 2 };
  const first = { ...query, to: noon(1) };
  expect(await readStatement(db, first, { page: ALL, bounds })).toMatchObject({
    limit: 'postings',
  });
});
