import type { Kysely } from 'kysely';
import { AssetId } from '../../../domain/ids.ts';
import { unpackPolicy } from '../../fact-codec.ts';
import type { PolicyRow } from '../../records.ts';
import type { Tables } from '../tables.ts';

/** The policy that was set last: by anyone, or by one source. */
export async function readPolicy(
  db: Kysely<Tables>,
  source?: PolicyRow['source'],
): Promise<PolicyRow | undefined> {
  const row = await db
    .selectFrom('policies')
    .$if(source !== undefined, (where) => where.where('source', '=', source ?? ''))
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    seq: row.seq,
    source: row.source as PolicyRow['source'],
    actor: row.actor,
    policy: unpackPolicy(row.policy),
    setAt: row.set_at,
  };
}

/** Decimals of every asset seen with any, pinned at its first sighting. */
export async function readPinnedDecimals(
  db: Kysely<Tables>,
): Promise<ReadonlyMap<AssetId, number>> {
  const rows = await db.selectFrom('assets').selectAll().execute();
  return new Map(rows.map((row) => [AssetId(row.asset), row.decimals]));
}
