import type { Kysely } from 'kysely';
import type { Page, PageRequest } from '../../page.ts';
import type { ReconciliationRow } from '../../records.ts';
import { reconciliationOf } from '../table/rows/run-row.ts';
import type { Tables } from '../table/tables.ts';
import { readPage } from './list.ts';

/** One page of runs, newest first. */
export function readReconciliations(
  db: Kysely<Tables>,
  page: PageRequest,
): Promise<Page<ReconciliationRow>> {
  const listing = { table: 'reconciliations', equal: {}, newestFirstBy: 'seq' } as const;
  return readPage(db, listing, { ...page, itemOf: reconciliationOf });
}

/** One run by the journal position of its record. */
export async function readReconciliation(
  db: Kysely<Tables>,
  seq: number,
): Promise<ReconciliationRow | undefined> {
  const row = await db
    .selectFrom('reconciliations')
    .where('seq', '=', seq)
    .selectAll()
    .executeTakeFirst();
  return row && reconciliationOf(row);
}

/**
 * How far complete runs have read the custody API's list; null before the first. A run never moves
 * the watermark back. The newest row is near; the highest would take a scan of the whole table.
 */
export async function readCustodyWatermark(db: Kysely<Tables>): Promise<number | null> {
  const newest = await db
    .selectFrom('reconciliations')
    .where('watermark', 'is not', null)
    .select('watermark')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.watermark ?? null;
}
