import { sql, type Kysely } from 'kysely';
import type { Break, BreakEvent } from '../../../domain/break.ts';
import { BreakId } from '../../../domain/ids.ts';
import type { BreakQuery, Page, PageRequest } from '../../reads.ts';
import { breakOf } from '../row.ts';
import type { Tables } from '../tables.ts';
import { atSnapshot, readPage } from './list.ts';

/** Word for word the condition of the index `breaks_unresolved`: the planner compares text. */
export const UNRESOLVED = sql<boolean>`state <> 'resolved'`;

export function readBreaks(
  db: Kysely<Tables>,
  query: BreakQuery,
  page: PageRequest,
): Promise<Page<Break>> {
  const { state, type, vaultId } = query;
  const listing = {
    table: 'breaks',
    equal: { state, type, vault_id: vaultId },
    newestFirstBy: 'rowid',
    also: state === undefined || state === 'resolved' ? undefined : UNRESOLVED,
  } as const;
  return readPage(db, listing, { ...page, itemOf: breakOf });
}

/** A break with its history, oldest event first. */
export function readBreak(
  db: Kysely<Tables>,
  breakId: string,
): Promise<{ found: Break; history: readonly BreakEvent[] } | undefined> {
  return atSnapshot(db, async (at) => {
    const row = await at
      .selectFrom('breaks')
      .where('break_id', '=', breakId)
      .selectAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const events = await at
      .selectFrom('break_events')
      .where('break_id', '=', breakId)
      .select(['at', 'actor', 'action', 'reason'])
      .orderBy(sql`rowid`)
      .execute();
    const history = events.map((event) => ({
      ...event,
      breakId: BreakId(breakId),
      action: event.action as BreakEvent['action'],
    }));
    return { found: breakOf(row), history };
  });
}

/** Unresolved breaks by key; one is unresolved per key. */
export async function readOpenBreaks(db: Kysely<Tables>): Promise<ReadonlyMap<string, Break>> {
  const rows = await db.selectFrom('breaks').where(UNRESOLVED).selectAll().execute();
  return new Map(rows.map((row) => [row.key, breakOf(row)]));
}
