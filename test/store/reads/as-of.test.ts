import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { BalanceQuery } from '../../../src/store/queries.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { dayNumber } from '../close/closing.ts';
import { factOf, openLedgerFile, type OpenLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';
import { clockedSteps, close, HOUR_MS, midnightAfter, play, someMoments } from './clocked-days.ts';

type View = BalanceQuery['view'];

async function openStore() {
  const { open, path } = await openLedgerFile();
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const asOf = async (moment: number, view: View = 'books'): Promise<Record<string, bigint>> => {
    const { items } = await reads.balances({ view, asOf: moment }, { page: 0, pageSize: 1_000 });
    const named = items.map(({ vaultId, accountId, addressId, memo, asset, amount }) => {
      const position = [vaultId, accountId ?? '', addressId ?? '', memo ?? '', asset].join('/');
      return [position, amount] as const;
    });
    return Object.fromEntries(named);
  };
  return { open, reads, asOf };
}

/** The same balances, summed from all postings. */
function folded(open: OpenLedger, moment: number, view: View): Record<string, bigint> {
  const sums = new Map<string, bigint>();
  const rows = open.rows<{ position: string; amount: string }>(
    `SELECT concat_ws('/', a.vault_id, account_id, address_id, memo, asset) AS position, amount
     FROM postings JOIN entries AS e USING (entry_id) JOIN ledger_accounts AS a USING (ledger_account)
     WHERE a.kind = 'position' AND a.view = ? AND e.posted_at <= ?`,
    view,
    moment,
  );
  for (const { position, amount } of rows)
    sums.set(position, (sums.get(position) ?? 0n) + BigInt(amount));
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n));
}

test('a balance as of a moment is the sum of earlier postings, for any closes and any clock', async () => {
  let daysClosed = 0;
  const property = fc.asyncProperty(clockedSteps, someMoments(3), async (steps, moments) => {
    const { open, asOf } = await openStore();
    daysClosed += await play(open, steps);
    const posted = open.rows<{ at: number }>('SELECT DISTINCT posted_at AS at FROM entries');
    const edges = [0, 1, 2, 3].map(midnightAfter);
    for (const view of ['books', 'chain'] as const) {
      for (const at of [...moments, ...edges, ...posted.map((one) => one.at)]) {
        expect([at, await asOf(at, view)]).toEqual([at, folded(open, at, view)]);
      }
    }
    open.close();
  });
  await fc.assert(property, { numRuns: 25, seed: 20260105 });
  expect(daysClosed).toBeGreaterThan(20);
  // Also with a new seed in each run. fast-check prints the seed when one fails.
  await fc.assert(property, { numRuns: 15 });
});

/** Three days with one deposit each; all but the last are closed. */
async function threeDays() {
  const { open, asOf } = await openStore();
  const service = new Service();
  for (const day of [0, 1, 2]) {
    const noon = midnightAfter(day) - 12 * HOUR_MS;
    await open.commit([factOf(service.confirmed(1, { blockchainHash: `0x${day}` }), noon)]);
    if (day < 2) await close(open, day, midnightAfter(day));
  }
  return { open, asOf };
}

const POSITION = 'v1/acc-1/adr-1//ethereum:ETH';

test('a balance as of a moment does not read entries of days closed before it', async () => {
  const { open, asOf } = await threeDays();
  const lastMidnight = midnightAfter(1);
  const [held, later] = [await asOf(lastMidnight), await asOf(midnightAfter(2))];
  expect([held, later]).toEqual([{ [POSITION]: 200n }, { [POSITION]: 300n }]);
  // Only the sealed positions remain of the closed days.
  open.db.pragma('foreign_keys = OFF');
  open.db.exec(`DROP TRIGGER postings_stay; DROP TRIGGER entries_stay;
    DELETE FROM postings WHERE entry_id IN (SELECT entry_id FROM entries WHERE posted_at < ${lastMidnight});
    DELETE FROM entries WHERE posted_at < ${lastMidnight}`);
  expect([await asOf(lastMidnight), await asOf(midnightAfter(2))]).toEqual([held, later]);
});

test('a day seals only the positions that moved in it', async () => {
  const { open } = await threeDays();
  const rows = open.rows<{ day: string; amount: string }>(
    'SELECT day, amount FROM position_totals ORDER BY day',
  );
  expect(rows).toEqual([
    { day: dayNumber(0), amount: '100' },
    { day: dayNumber(1), amount: '200' },
  ]);
  await close(open, 2, midnightAfter(2));
  await close(open, 3, midnightAfter(3));
  const sealed = open.rows<{ day: string }>('SELECT day FROM position_totals ORDER BY day');
  expect(sealed.map(({ day }) => day)).toEqual([0, 1, 2].map(dayNumber));
});

test('a day closed late is sealed with its own balances, not with later ones', async () => {
  const { open, asOf } = await openStore();
  const service = new Service();
  for (const day of [0, 1]) {
    const noon = midnightAfter(day) - 12 * HOUR_MS;
    await open.commit([factOf(service.confirmed(1, { blockchainHash: `0x${day}` }), noon)]);
  }
  await close(open, 0, midnightAfter(1) - HOUR_MS);
  expect(open.rows('SELECT amount FROM position_totals')).toEqual([{ amount: '100' }]);
  expect(await asOf(midnightAfter(0))).toEqual({ [POSITION]: 100n });
});
