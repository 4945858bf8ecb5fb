import type { Kysely } from 'kysely';
import type { TokenChangeRow } from '../../records.ts';
import type { Tables } from '../table/tables.ts';
import { tokenChangeOf } from '../table/rows/token-row.ts';

/** Every change of the tokens that people made at run time, oldest first. Only people make them. */
export async function readTokenChanges(db: Kysely<Tables>): Promise<readonly TokenChangeRow[]> {
  const rows = await db.selectFrom('token_changes').selectAll().orderBy('seq').execute();
  return rows.map(tokenChangeOf);
}
