import type { Database } from 'better-sqlite3';
import type { CloseRecord } from '../../../../domain/close/record.ts';
import type { DailyReport } from '../../../../domain/close/report.ts';
import { BlockchainHash } from '../../../../domain/ids.ts';
import type { ComputedClose } from '../../../answers.ts';
import { computeDay, packDay, type ComputedDay } from '../../../close/close-day.ts';
import { SqliteCloseRecords } from '../../close/close-records.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';

/**
 * Computes a day's report (`Reads.computeDay`), within the caller's transaction. `at`: when, Unix
 * milliseconds.
 */
export function readComputedDay(
  db: Database,
  keys: KeyLookup,
  { record, at }: { readonly record: CloseRecord; readonly at: number },
): ComputedClose {
  const closes = new SqliteCloseRecords(db, keys);
  const asOf = { seq: closes.headSeq(), at };
  const day = computeDay(record, closes, at);
  return { asOf, computed: packDay(day), unexplained: unexplainedHashes(day) };
}

/** Only a report with exceptions has unexplained differences; no other long text is parsed. */
function unexplainedHashes({ row: { status, report } }: ComputedDay): BlockchainHash[] {
  if (status !== 'exceptions') return [];
  const { differences } = JSON.parse(report) as DailyReport;
  const unexplained = differences.filter(
    ({ against, explanation }) => against === 'custody' && explanation === 'unexplained',
  );
  return [...new Set(unexplained.map((one) => BlockchainHash(one.blockchainHash)))];
}
