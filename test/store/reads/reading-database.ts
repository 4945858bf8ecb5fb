import { Kysely, SqliteDialect } from 'kysely';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import type { Tables } from '../../../src/store/sqlite/table/tables.ts';

/** A store's tables on a read-only connection. */
export function readingDatabase(path: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: openForReading(path) }) });
}
