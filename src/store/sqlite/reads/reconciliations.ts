import type { Kysely } from 'kysely';
import type { Page, PageRequest } from '../../page.ts';
import type { ReconciliationRow } from '../../records.ts';
import type { ReconciliationTableRow, Tables } from '../table/tables.ts';
import { readPage } from './list.ts';

function reconciliationOf(row: ReconciliationTableRow): ReconciliationRow {
  return {
    seq: row.seq,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    matched: row.matched,
    broken: row.broken,
    exempt: JSON.parse(row.exempt) as ReconciliationRow['exempt'],
    skipped: JSON.parse(row.skipped) as ReconciliationRow['skipped'],
    requests: row.requests,
    watermark: row.watermark,
    incomplete: row.incomplete,
    addresses:
      row.addresses === null ? null : (JSON.parse(row.addresses) as ReconciliationRow['addresses']),
    repairs: {
      replayed: row.replayed,
      pulledForward: row.pulled_forward,
      backfilled: row.backfilled,
    },
  };
}

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
