import pg from 'pg';
import { JournalUnavailable } from '../replicated/shared-journal.ts';
import type { Session, Statement } from './connection/session.ts';

/** What the receivers' role may do with each table. It may read all of them. */
const RIGHTS: readonly (readonly [table: string, rights: string])[] = [
  ['journal', 'INSERT'],
  ['bodies', 'INSERT'],
  ['seals', 'INSERT'],
  ['computed_days', 'INSERT'],
  ['ownership', 'UPDATE'],
  ['receivers', 'INSERT, UPDATE'],
  ['custody_requests', 'INSERT, UPDATE, DELETE'],
];

/** $1 schema, $2 tables and $3 their rights: those that this session's role lacks. */
const MISSING: Statement<{ missing: string }> = {
  name: 'missing-rights',
  text: `SELECT "right" || ' on ' || name AS missing
    FROM unnest($2::text[], $3::text[]) AS needed (name, "right")
    WHERE NOT has_table_privilege(format('%I.%I', $1::text, name), "right")`,
};

/** The rights that this session's role lacks to be a receiver's. Throws `StatementFailed`. */
export async function missingRights(session: Session, schema: string): Promise<string[]> {
  const needed = RIGHTS.flatMap(([table, rights]) =>
    ['SELECT', ...rights.split(', ')].map((right) => ({ table, right })),
  );
  const tables = needed.map(({ table }) => table);
  const rights = needed.map(({ right }) => right);
  const { rows } = await session.call(MISSING, schema, tables, rights);
  return rows.map(({ missing }) => missing);
}

/** What to do for a role that lacks rights. */
export function missingText(missing: readonly string[], user: string): string {
  return `role ${user} lacks ${missing.join(', ')}: run \`counterfoil init --runtime-role ${user}\` as the schema's owner`;
}

interface Role {
  readonly isSuperuser: boolean;
  readonly isOwner: boolean;
}

/**
 * Grants a role what receivers need in the schema, and takes away what they do not: it cannot change
 * or delete what the journal holds. Throws `JournalUnavailable` for a role that does not exist, and
 * for one that could do so all the same.
 */
export async function grantRuntime(session: Session, schema: string, role: string): Promise<void> {
  const { rows } = await session.call<Role>(
    {
      text: `SELECT rolsuper AS "isSuperuser",
        pg_has_role(oid, (SELECT nspowner FROM pg_namespace WHERE nspname = $2), 'MEMBER') AS "isOwner"
        FROM pg_roles WHERE rolname = $1`,
    },
    role,
    schema,
  );
  const refusal = refusalOf(rows[0], schema, role);
  if (refusal !== undefined) throw new JournalUnavailable(refusal);
  const name = pg.escapeIdentifier(role);
  const grants = RIGHTS.map(
    ([table, rights]) => `GRANT ${rights} ON ${schema}.${table} TO ${name}`,
  );
  await session.script(
    [
      `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${name}`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${name}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${name}`,
      ...grants,
    ].join('; '),
  );
}

function refusalOf(found: Role | undefined, schema: string, role: string): string | undefined {
  const name = pg.escapeIdentifier(role);
  if (found === undefined) {
    return `role ${role} does not exist: create it with CREATE ROLE ${name} LOGIN PASSWORD '…' IN ROLE pg_monitor`;
  }
  if (found.isSuperuser) {
    return `role ${role} is a superuser and could change the journal: name a role with fewer rights`;
  }
  if (found.isOwner) {
    return `role ${role} owns schema ${schema} and could change the journal: name another role`;
  }
  return undefined;
}
