import type { Kysely } from 'kysely';
import type { Page } from '../../page.ts';
import type { QuarantinePageRequest } from '../../queries.ts';
import type { QuarantineRow } from '../../records.ts';
import { quarantineOf } from '../table/rows/quarantine-row.ts';
import type { Tables } from '../table/tables.ts';
import { readPage } from './list.ts';

/** One page of quarantined bodies, newest first. */
export function readQuarantine(
  db: Kysely<Tables>,
  { state, ...page }: QuarantinePageRequest,
): Promise<Page<QuarantineRow>> {
  const listing = { table: 'quarantine', equal: { state }, newestFirstBy: 'seq' } as const;
  return readPage(db, listing, { ...page, itemOf: quarantineOf });
}

/** One quarantined body by its id. */
export async function readQuarantined(
  db: Kysely<Tables>,
  quarantineId: string,
): Promise<QuarantineRow | undefined> {
  const row = await db
    .selectFrom('quarantine')
    .where('quarantine_id', '=', quarantineId)
    .selectAll()
    .executeTakeFirst();
  return row && quarantineOf(row);
}
