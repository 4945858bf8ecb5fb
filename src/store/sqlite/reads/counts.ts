import { sql, type Kysely } from 'kysely';
import type { BreakType, Severity } from '../../../domain/break/break.ts';
import {
  HOLD_REASONS,
  type DepositState,
  type HoldReason,
} from '../../../domain/deposit/deposit.ts';
import type { StoreCounts } from '../../answers.ts';
import type { Tables } from '../table/tables.ts';
import { UNRESOLVED } from './breaks/breaks.ts';
import { readJournalHead } from './close/closes.ts';
import { HELD, UNACKNOWLEDGED } from './deposits/deposits.ts';
import { atSnapshot, keptTotal } from './list.ts';

type Rows = Kysely<Tables>;

async function deliveryCounts(at: Rows): Promise<StoreCounts['notifications']> {
  const rows = await at.selectFrom('intake_counts').selectAll().execute();
  const count = new Map(rows.map((row) => [row.outcome, row.count]));
  return {
    accepted: count.get('accepted') ?? 0,
    duplicates: count.get('duplicate') ?? 0,
    quarantined: count.get('quarantined') ?? 0,
    refused: count.get('refused') ?? 0,
  };
}

async function depositCounts(at: Rows): Promise<StoreCounts['deposits']> {
  const rows = await at.selectFrom('deposit_counts').where('count', '>', 0).selectAll().execute();
  return Object.fromEntries(rows.map((row) => [row.state as DepositState, row.count]));
}

/** A query for when the oldest held deposit of a reason was first seen; one step in an index. */
export function oldestHeld(at: Rows, reason: HoldReason) {
  return at
    .selectFrom('deposits')
    .where(HELD)
    .where('reason', '=', reason)
    .select('first_seen_at')
    .orderBy('first_seen_at')
    .limit(1);
}

/** A query for when the oldest unacknowledged credit was made; one step in an index. */
export function oldestUnacknowledged(at: Rows) {
  return at
    .selectFrom('deposits')
    .where(UNACKNOWLEDGED)
    .select('credited_at')
    .orderBy('credited_at')
    .limit(1);
}

async function heldSince(at: Rows): Promise<StoreCounts['held']> {
  const held: StoreCounts['held'][number][] = [];
  for (const reason of HOLD_REASONS) {
    const oldest = await oldestHeld(at, reason).executeTakeFirst();
    if (oldest !== undefined) held.push({ reason, oldestAt: oldest.first_seen_at });
  }
  return held;
}

/**
 * Counts the feed without reading its wide rows: `feed_seq` has no gaps, so its maximum is the
 * number of items, and reversals have their own index.
 */
async function creditCounts(at: Rows): Promise<StoreCounts['credits']> {
  const feed = await at
    .selectFrom('credits')
    .select((credit) => credit.fn.max('feed_seq').as('head'))
    .executeTakeFirst();
  const reversed = await at
    .selectFrom('credits')
    .where('reverses', 'is not', null)
    .select((credit) => credit.fn.countAll<number>().as('count'))
    .executeTakeFirst();
  const reversals = reversed?.count ?? 0;
  const oldest = await oldestUnacknowledged(at).executeTakeFirst();
  const oldestUnacknowledgedAt = oldest?.credited_at ?? null;
  return { credits: (feed?.head ?? 0) - reversals, reversals, oldestUnacknowledgedAt };
}

/** `open` counts every unresolved break, because one under investigation is still a difference. */
async function breakCounts(at: Rows): Promise<StoreCounts['breaks']> {
  const { rows } = await sql<{
    type: BreakType;
    severity: Severity;
    open: number;
    oldestAt: number;
  }>`select type, severity, sum(count) as open, (
         select min(opened_at) from breaks
         where ${UNRESOLVED} and type = kept.type and severity = kept.severity) as oldestAt
       from break_counts as kept where kept.state <> 'resolved'
       group by type, severity order by type, severity`.execute(at);
  const resolved = await keptTotal('break_counts', { state: 'resolved' }).execute(at);
  return {
    open: rows.reduce((sum, row) => sum + row.open, 0),
    resolved: resolved.rows[0]?.total ?? 0,
    byType: rows,
  };
}

async function uncomparedMovements(at: Rows): Promise<number> {
  const row = await at
    .selectFrom('movement_counts')
    .where('agreement', '=', 'uncompared')
    .select('count')
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** Reads all counts at one snapshot. */
export async function readCounts(db: Rows): Promise<StoreCounts> {
  return atSnapshot(db, async (at) => {
    return {
      notifications: await deliveryCounts(at),
      deposits: await depositCounts(at),
      held: await heldSince(at),
      credits: await creditCounts(at),
      breaks: await breakCounts(at),
      journalHead: await readJournalHead(at),
      uncomparedMovements: await uncomparedMovements(at),
    };
  });
}
