import { sql, type Kysely, type RawBuilder } from 'kysely';
import {
  BODY_BREAKS,
  BREAK_TYPES,
  LOCAL_BREAKS,
  type Break,
  type BreakType,
} from '../../../../domain/break/break.ts';
import { negated } from '../../../../domain/money/amount.ts';
import type { AssetAmount, BreakQuery, BreakSort } from '../../../queries.ts';
import type { Page, PageRequest } from '../../../page.ts';
import type { Reads } from '../../../reads.ts';
import type { ShownBreak } from '../../../answers.ts';
import { breakEventOf, breakOf } from '../../table/rows/break-row.ts';
import type { Tables } from '../../table/tables.ts';
import { shownBreaks } from './break-evidence.ts';
import { atSnapshot, isAnyOf, isFiltered, keptTotal, pageAt } from '../list.ts';

/** Repeats the condition of the index `breaks_unresolved`: SQLite's planner compares the text. */
export const UNRESOLVED = sql<boolean>`state <> 'resolved'`;

/** Orders ids by number: they have no leading zeros, so the length comes first. */
const BY_ID = sql`length(break_id), break_id`;

/** Most severe first, then oldest first; repeats the index `breaks_by_urgency`. */
export const BY_URGENCY = sql`case severity when 'critical' then 0 when 'warning' then 1 else 2 end, opened_at, ${BY_ID}`;

const ORDERS: Record<BreakSort, RawBuilder<unknown>> = {
  'openedAt:asc': sql`opened_at, ${BY_ID}`,
  'openedAt:desc': sql`opened_at desc, length(break_id) desc, break_id desc`,
  'updatedAt:desc': sql`updated_at desc, ${BY_ID}`,
  'severity:desc': BY_URGENCY,
};

/** Whether a break compares one of these amounts, whatever its sign. */
function compares(amounts: readonly AssetAmount[]): RawBuilder<boolean> {
  const signed = amounts.flatMap(({ asset, amount }) => [
    { asset, amount },
    { asset, amount: negated(amount) },
  ]);
  return sql<boolean>`(${isAnyOf('expected', signed)} or ${isAnyOf('actual', signed)})`;
}

/** The further conditions of a query: partial indexes repeat some; then the opening, and figures. */
function conditionsOf(query: BreakQuery): (RawBuilder<boolean> | undefined)[] {
  const { state, openedAfter, openedUntil, amounts } = query;
  return [
    state === undefined || state === 'resolved' ? undefined : UNRESOLVED,
    openedAfter === undefined ? undefined : sql<boolean>`opened_at > ${openedAfter}`,
    openedUntil === undefined ? undefined : sql<boolean>`opened_at <= ${openedUntil}`,
    amounts === undefined ? undefined : compares(amounts),
  ];
}

/** Whether the stored numbers of breaks answer how many a query selects. */
function isKept({
  state: _,
  type: _type,
  severity: _severity,
  sort: _sort,
  ...others
}: BreakQuery): boolean {
  return !isFiltered(others);
}

/** One page of breaks. */
export function readBreaks(
  db: Kysely<Tables>,
  query: BreakQuery,
  page: PageRequest,
): Promise<Page<ShownBreak>> {
  const { state, type, vaultId, blockchainHash, network, asset, severity, assignee, sort } = query;
  const equalState = state === 'unresolved' ? undefined : state;
  const listing = {
    table: 'breaks',
    equal: {
      state: equalState,
      type,
      vault_id: vaultId,
      blockchain_hash: blockchainHash,
      key: query.key,
      network,
      asset,
      severity,
      assignee,
      break_id: query.breakIds,
    },
    newestFirstBy: 'rowid',
    orderBy: sort === undefined ? undefined : ORDERS[sort],
    also: conditionsOf(query),
    kept: isKept(query)
      ? keptTotal(
          'break_counts',
          { state: equalState, type, severity },
          state === 'unresolved' ? UNRESOLVED : undefined,
        )
      : undefined,
  } as const;
  return atSnapshot(db, async (at) => {
    const found = await pageAt(at, listing, { ...page, itemOf: breakOf });
    return { ...found, items: await shownBreaks(at, found.items) };
  });
}

/** A break with its history, oldest event first. */
export function readBreak(db: Kysely<Tables>, breakId: string): ReturnType<Reads['break']> {
  return atSnapshot(db, async (at) => {
    const row = await at
      .selectFrom('breaks')
      .where('break_id', '=', breakId)
      .selectAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const [found] = await shownBreaks(at, [breakOf(row)]);
    if (found === undefined) return undefined;
    const events = await at
      .selectFrom('break_events')
      .where('break_id', '=', breakId)
      .selectAll()
      .orderBy(sql`rowid`)
      .execute();
    return { found, history: events.map(breakEventOf) };
  });
}

/** Unresolved breaks of a type, by key. A key begins with the type, so the index of keys serves. */
export async function readOpenBreaksOf(
  db: Kysely<Tables>,
  { type, limit }: { readonly type: BreakType; readonly limit: number },
): Promise<readonly Break[]> {
  const beginning = `["${type}"`;
  const rows = await db
    .selectFrom('breaks')
    .where(UNRESOLVED)
    .where('key', '>=', beginning)
    // A comma or a bracket follows the type in a key, and both sort before this character.
    .where('key', '<', `${beginning}^`)
    .orderBy('key')
    .limit(limit)
    .selectAll()
    .execute();
  return rows.map(breakOf);
}

const NOT_COMPARED: readonly BreakType[] = [...BODY_BREAKS, ...LOCAL_BREAKS];
const COMPARED = BREAK_TYPES.filter((type) => !NOT_COMPARED.includes(type));

/**
 * Unresolved breaks that a comparison can open, change or resolve, by key; a key has one at most.
 * Other types are left out: anyone who knows the webhook's URL can open any number of them.
 */
export async function readOpenBreaks(db: Kysely<Tables>): Promise<ReadonlyMap<string, Break>> {
  const rows = await db
    .selectFrom('breaks')
    .where(UNRESOLVED)
    .where('type', 'in', COMPARED)
    .selectAll()
    .execute();
  return new Map(rows.map((row) => [row.key, breakOf(row)]));
}
