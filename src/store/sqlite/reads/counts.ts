import { sql, type Kysely } from 'kysely';
import type { BreakType, Severity } from '../../../domain/break.ts';
import { HOLD_REASONS, type DepositState, type HoldReason } from '../../../domain/deposit.ts';
import type { StoreCounts } from '../../reads.ts';
import type { Tables } from '../tables.ts';
import { UNRESOLVED } from './breaks.ts';
import { atSnapshot } from './list.ts';

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

/** Word for word the condition of the index `deposits_held`. */
const HELD = sql<boolean>`state = 'held'`;
/** The same for `deposits_unacknowledged`. */
const UNACKNOWLEDGED = sql<boolean>`state = 'credited'`;

/** When the oldest held deposit of a reason was first seen: one look into an index. */
export function oldestHeld(at: Rows, reason: HoldReason) {
  return at
    .selectFrom('deposits')
    .where(HELD)
    .where('reason', '=', reason)
    .select('first_seen_at')
    .orderBy('first_seen_at')
    .limit(1);
}

/** When the oldest credit came that waits for its consumer: one look into an index. */
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
 * `feed_seq` has no gaps, so its head is the number of items, and reversals have an index of their
 * own: the wide rows of the feed are never read to be counted.
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

/** `open` is everything not resolved: a break under investigation is still a difference. */
async function breakCounts(at: Rows): Promise<StoreCounts['breaks']> {
  const open = await at
    .selectFrom('breaks')
    .where(UNRESOLVED)
    .select((one) => [
      'type',
      'severity',
      one.fn.countAll<number>().as('open'),
      one.fn.min('opened_at').as('oldestAt'),
    ])
    .groupBy(['type', 'severity'])
    .orderBy('type')
    .orderBy('severity')
    .execute();
  const all = await at
    .selectFrom('breaks')
    .select((one) => one.fn.countAll<number>().as('count'))
    .executeTakeFirst();
  const openCount = open.reduce((sum, row) => sum + row.open, 0);
  return {
    open: openCount,
    resolved: (all?.count ?? 0) - openCount,
    byType: open.map((row) => ({
      type: row.type as BreakType,
      severity: row.severity as Severity,
      open: row.open,
      oldestAt: row.oldestAt,
    })),
  };
}

async function unjudgedMovements(at: Rows): Promise<number> {
  const row = await at
    .selectFrom('movement_counts')
    .where('standing', '=', 'unjudged')
    .select('count')
    .executeTakeFirst();
  return row?.count ?? 0;
}

export async function readCounts(db: Rows): Promise<StoreCounts> {
  return atSnapshot(db, async (at) => {
    const head = await at
      .selectFrom('journal')
      .select((fact) => fact.fn.max('seq').as('seq'))
      .executeTakeFirst();
    return {
      notifications: await deliveryCounts(at),
      deposits: await depositCounts(at),
      held: await heldSince(at),
      credits: await creditCounts(at),
      breaks: await breakCounts(at),
      journalHead: head?.seq ?? 0,
      unjudgedMovements: await unjudgedMovements(at),
    };
  });
}
