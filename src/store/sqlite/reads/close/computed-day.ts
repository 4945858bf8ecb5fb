import type { Database } from 'better-sqlite3';
import type { CloseRecord } from '../../../../domain/close/record.ts';
import type { ComputedClose } from '../../../answers.ts';
import { computeDay, packDay } from '../../../close/close-day.ts';
import { SqliteCloseRecords } from '../../close/close-records.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';

/** Computes a day's report (`Reads.computeDay`), within the caller's transaction. */
export function readComputedDay(
  db: Database,
  keys: KeyLookup,
  { record, at }: { readonly record: CloseRecord; readonly at: number },
): ComputedClose {
  const closes = new SqliteCloseRecords(db, keys);
  const asOf = { seq: closes.headSeq(), at };
  return { asOf, computed: packDay(computeDay(record, closes, at)) };
}
