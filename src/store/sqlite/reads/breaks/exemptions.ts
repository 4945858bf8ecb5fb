import type { Kysely } from 'kysely';
import type { ExemptDifference } from '../../../../domain/break/exemption.ts';
import type { HeldExemption, HeldExemptions } from '../../../../domain/break/held-exemptions.ts';
import { exemptDifferenceOf, exemptionsOf } from '../../table/rows/break-row.ts';
import { atSnapshot } from '../list.ts';
import type { Tables } from '../../table/tables.ts';

/** The rules that were set last; an empty list before any. */
export async function readExemptions(db: Kysely<Tables>): Promise<readonly HeldExemption[]> {
  const row = await db
    .selectFrom('exemptions')
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? [] : exemptionsOf(row).rules;
}

/** The actor of the configuration's decisions. */
const CONFIGURATION = 'config';

/** The rules that were set last, and when the configuration last set its own. */
export async function readHeldExemptions(db: Kysely<Tables>): Promise<HeldExemptions> {
  return atSnapshot(db, async (at) => {
    const configured = await at
      .selectFrom('exemptions')
      .select('set_at')
      .where('actor', '=', CONFIGURATION)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return { rules: await readExemptions(at), configuredAt: configured?.set_at ?? null };
  });
}

/** All exempt differences, by key. */
export async function readExemptDifferences(
  db: Kysely<Tables>,
): Promise<ReadonlyMap<string, ExemptDifference>> {
  const rows = await db.selectFrom('exempt_differences').selectAll().execute();
  return new Map(rows.map((row) => [row.key, exemptDifferenceOf(row)]));
}
