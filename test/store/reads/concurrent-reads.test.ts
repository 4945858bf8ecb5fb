import { expect, onTestFinished, test } from 'vitest';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { closeOf } from '../close/closing.ts';
import { openLedgerFile } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

/** More turns than the microtasks of the read of balances. */
const TURNS = 100;

test('a day is computed and read between the rows of another read', async () => {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1), new Service().confirmed(6));
  const day = '2025-11-20';
  await open.record(closeOf(open, { day, cutOffAt: open.at }));
  const next = closeOf(open, { day: '2025-11-21', cutOffAt: open.at + 1 });
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const whole = { page: 0, pageSize: 10 };
  const reading = reads.balances({ view: 'books' }, whole);
  const others = [
    () => reads.dayMovements({ day }, whole),
    () => reads.computeDay(next, open.at),
    () => reads.needsRunStep(open.at),
    () => reads.body(1),
  ];
  const beside: Promise<unknown>[] = [];
  // Some of these turns fall between two rows of the balances.
  for (let turn = 0; turn < TURNS; turn += 1) {
    const other = others[turn % others.length];
    if (other !== undefined) beside.push(other());
    await Promise.resolve();
  }
  expect((await reading).total).toBeGreaterThan(0);
  expect(await Promise.allSettled(beside)).not.toContainEqual(
    expect.objectContaining({ status: 'rejected' }),
  );
});
