import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyToJournal, copyToStore } from '../../../src/commands/store/copy-journal.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { closeOf, dayNumber } from '../close/closing.ts';
import { verifyWith } from '../evidence.ts';
import { openLedgerFile } from '../open-ledger.ts';
import { Service } from '../webhook.ts';
import { newJournal, receiver } from './receiver.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** What other programs have read from a store: the credit feed, and the reports of closed days. */
async function publishedBy(path: string) {
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const feed = await reads.credits(0, 100);
  const { items: closes } = await reads.closes({ page: 0, pageSize: 100 });
  const reports = await Promise.all(closes.map(({ close }) => reads.closedDay(close.day)));
  return { feed, closes, reports };
}

describe.runIf(isInstalled)('a copy into PostgreSQL and back into a file', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('publishes the same credits, and the same reports with the same hashes', async () => {
    const { open, path } = await openLedgerFile();
    const service = new Service();
    await open.deliver(service.confirmed(6));
    await verifyWith(open);
    await open.record(closeOf(open, { day: dayNumber(0), cutOffAt: open.at + 1 }));
    // What comes after a close must not change its report on the way.
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open, { status: 'rolledback' });
    await open.record(closeOf(open, { day: dayNumber(1), cutOffAt: open.at + 1 }));
    open.close();
    const before = await publishedBy(path);
    expect(before.feed.map(({ item }) => item.kind)).toEqual(['credit', 'reversal']);
    expect(before.reports).toHaveLength(2);

    const address = await newJournal(cluster);
    const back = `${path}.back`;
    const there = await copyToJournal(path, receiver(address, 'copy'), SILENT);
    const here = await copyToStore(receiver(address, 'copy'), back, SILENT);
    expect(here).toEqual(there);
    expect(await publishedBy(back)).toEqual(before);
  });
});
