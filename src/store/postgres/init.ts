import { readFileSync } from 'node:fs';
import { JournalUnavailable } from '../replicated/shared-journal.ts';
import type { JournalAddress } from './address.ts';
import { firstUsable } from './connection/usable-host.ts';
import { identityOf, identityRefusal, JOURNAL_VERSION, type Identity } from './journal-identity.ts';
import { grantRuntime } from './runtime-role.ts';
import type { Session } from './connection/session.ts';
import { StatementFailed } from './connection/statement-failure.ts';
import { openWritable } from './connection/writable-session.ts';

const SCHEMA_FILE = new URL('./schema.sql', import.meta.url);

/** Creating the tables takes well under a second, and waits for another `init`. */
const ANSWER_MS_MAX = 30_000;

/** A key of PostgreSQL's advisory locks: "CFoi", as in SQLite's `application_id`. */
const INIT_LOCK = 0x43466f69;

export interface Initialised {
  readonly storeId: string;
  /** False when the journal was there already. */
  readonly isNew: boolean;
}

/**
 * Creates the journal in the address's schema, unless it is there; then grants a role what receivers
 * need, if one is named. All of it happens or nothing. Throws `JournalUnavailable` for a schema of
 * another program or another version, and for a role that could change the journal.
 */
export async function initJournal(
  address: JournalAddress,
  { runtimeRole, nowMs }: { readonly runtimeRole?: string | undefined; readonly nowMs: number },
): Promise<Initialised> {
  const session = await firstUsable(address.hosts, (host) =>
    openWritable(address, host, { answerMsMax: ANSWER_MS_MAX }),
  );
  try {
    await session.script(
      `BEGIN; SET LOCAL lock_timeout = '20s'; SELECT pg_advisory_xact_lock(${INIT_LOCK})`,
    );
    const before = await identityOf(session, address.schema);
    if (before.kind === 'missing') await create(session, address.schema, nowMs);
    const identity = await usable(session, address);
    if (runtimeRole !== undefined) await grantRuntime(session, address.schema, runtimeRole);
    await session.script('COMMIT');
    return { storeId: identity.storeId, isNew: before.kind === 'missing' };
  } catch (error) {
    if (!(error instanceof StatementFailed)) throw error;
    throw new JournalUnavailable(
      error.code === '42501' ? mayNotCreate(address, error) : error.message,
    );
  } finally {
    // An open transaction is rolled back.
    await session.close();
  }
}

async function create(session: Session, schema: string, nowMs: number): Promise<void> {
  await session.script(`CREATE SCHEMA IF NOT EXISTS ${schema}; SET LOCAL search_path = ${schema}`);
  await session.script(readFileSync(SCHEMA_FILE, 'utf8'));
  await session.call(
    {
      text: `INSERT INTO identity (program, schema_version, created_at) VALUES ('counterfoil', $1, $2)`,
    },
    JOURNAL_VERSION,
    nowMs,
  );
}

async function usable(
  session: Session,
  address: JournalAddress,
): Promise<Identity & { readonly kind: 'ours' }> {
  const identity = await identityOf(session, address.schema);
  const refusal = identityRefusal(identity, address);
  if (identity.kind === 'ours' && refusal === undefined) return identity;
  throw new JournalUnavailable(refusal ?? 'the journal could not be created');
}

function mayNotCreate({ user, database }: JournalAddress, { message }: StatementFailed): string {
  return `role ${user} may not do this (${message}): run init as the owner of database ${database}, or GRANT CREATE ON DATABASE ${database} TO ${user}`;
}
