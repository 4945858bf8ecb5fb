import type { JournalAddress } from './address.ts';
import type { Session, Statement } from './connection/session.ts';

/**
 * Counts the changes of schema.sql in this folder. `init` writes it, and every connection compares
 * it.
 */
export const JOURNAL_VERSION = 2;

/** What a schema of the database is to this program. */
export type Identity =
  | { readonly kind: 'ours'; readonly storeId: string; readonly version: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'foreign' };

/** The schema $1, from the catalogue: a statement that fails would end the transaction of `init`. */
const SCHEMA: Statement<{ isUsable: boolean; isEmpty: boolean; hasIdentity: boolean }> = {
  text: `SELECT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = namespace.oid) AS "isEmpty",
      has_schema_privilege(namespace.oid, 'USAGE') AND coalesce(bool_and(identity.readable), true)
        AS "isUsable",
      count(identity.name) = 3 AS "hasIdentity"
    FROM pg_namespace AS namespace LEFT JOIN (
      SELECT relnamespace, attname AS name, has_table_privilege(pg_class.oid, 'SELECT') AS readable
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relname = 'identity' AND attname IN ('program', 'store_id', 'schema_version')
    ) AS identity ON relnamespace = namespace.oid
    WHERE nspname = $1 GROUP BY namespace.oid`,
};

/** What the address's schema is. Throws `StatementFailed`. */
export async function identityOf(session: Session, schema: string): Promise<Identity> {
  const { rows } = await session.call(SCHEMA, schema);
  const [found] = rows;
  if (found === undefined || (found.isUsable && found.isEmpty)) return { kind: 'missing' };
  if (!found.isUsable) return { kind: 'forbidden' };
  if (!found.hasIdentity) return { kind: 'foreign' };
  const identities = await session.call<{ program: string; storeId: string; version: number }>({
    text: `SELECT program, store_id AS "storeId", schema_version AS version FROM ${schema}.identity`,
  });
  const [identity] = identities.rows;
  return identity?.program === 'counterfoil' ? { kind: 'ours', ...identity } : { kind: 'foreign' };
}

/** Why a journal cannot be used as it is, and what to do; undefined when it can. */
export function identityRefusal(
  identity: Identity,
  { schema, database, user }: JournalAddress,
): string | undefined {
  const where = `schema ${schema} of database ${database}`;
  switch (identity.kind) {
    case 'missing':
      return `${where} holds no journal: create it with \`counterfoil init --store …\` if it is new. If receivers have used it, correct the address, or restore the database from its backup`;
    case 'forbidden':
      return `role ${user} has no right to ${where}: run \`counterfoil init --runtime-role ${user}\` as the schema's owner`;
    case 'foreign':
      return `${where} belongs to another program: give the address a schema of its own (?schema=NAME)`;
    case 'ours':
      return versionRefusal(identity.version, where);
    default:
      return identity satisfies never;
  }
}

function versionRefusal(version: number, where: string): string | undefined {
  if (version > JOURNAL_VERSION) {
    return `${where} was made by a newer Counterfoil (journal version ${version}, this one knows ${JOURNAL_VERSION}): run that version`;
  }
  if (version < JOURNAL_VERSION) {
    return `${where} was made by an earlier Counterfoil (journal version ${version}, this one needs ${JOURNAL_VERSION}): docs/how-to/upgrade.md says how to upgrade it`;
  }
  return undefined;
}
