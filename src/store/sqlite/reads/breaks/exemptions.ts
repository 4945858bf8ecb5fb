import type { Kysely } from 'kysely';
import type { ExemptDifference, ExemptionRule } from '../../../../domain/break/exemption.ts';
import { exemptDifferenceOf, exemptionsOf } from '../../breaks/exemption-row.ts';
import type { Tables } from '../../table/tables.ts';

/** The rules that were set last; an empty list before any. */
export async function readExemptions(db: Kysely<Tables>): Promise<readonly ExemptionRule[]> {
  const row = await db
    .selectFrom('exemptions')
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? [] : exemptionsOf(row).rules;
}

/** All exempt differences, by key. */
export async function readExemptDifferences(
  db: Kysely<Tables>,
): Promise<ReadonlyMap<string, ExemptDifference>> {
  const rows = await db.selectFrom('exempt_differences').selectAll().execute();
  return new Map(rows.map((row) => [row.key, exemptDifferenceOf(row)]));
}
