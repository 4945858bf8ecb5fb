import { expect, test } from 'vitest';
import { documentsFrom, FORMATS, ReportChanged } from '../../src/report/document.ts';
import { SqliteReads } from '../../src/store/sqlite/reads/sqlite-reads.ts';
import { closeOf, dayNumber } from '../store/close/closing.ts';
import { openLedger } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';

test('a report that was changed in the store is given in no format', async () => {
  const open = await openLedger();
  await open.deliver(new Service().confirmed(6));
  const day = dayNumber(0);
  await open.record(closeOf(open, { day, cutOffAt: open.at + 1 }));
  const documents = documentsFrom(new SqliteReads(open.db));
  for (const format of FORMATS) await expect(documents(day, format)).resolves.toBeDefined();
  open.db.exec('DROP TRIGGER daily_closes_keep');
  open.db.exec(`UPDATE daily_closes SET report = replace(report, '"100"', '"900"')`);
  for (const format of FORMATS) {
    await expect(documents(day, format)).rejects.toThrow(ReportChanged);
  }
});
