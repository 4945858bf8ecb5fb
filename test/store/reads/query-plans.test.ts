import Sqlite from 'better-sqlite3';
import {
  sql,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
} from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createTables } from '../../../src/store/sqlite/file/database.ts';
import { BY_URGENCY, UNRESOLVED } from '../../../src/store/sqlite/reads/breaks/breaks.ts';
import { oldestHeld, oldestUnacknowledged } from '../../../src/store/sqlite/reads/counts.ts';
import {
  disputedDepositRows,
  waitingDepositRows,
} from '../../../src/store/sqlite/reads/deposits.ts';
import type { Tables } from '../../../src/store/sqlite/table/tables.ts';

/** SQLite's plan of a query. It is the same in a full store, because nothing runs ANALYZE. */
function planOf(query: (db: Kysely<Tables>) => Compilable): string[] {
  const dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  const compiled = query(new Kysely<Tables>({ dialect })).compile();
  const db = new Sqlite(':memory:');
  onTestFinished(() => void db.close());
  createTables(db);
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${compiled.sql}`);
  return plan.all(...compiled.parameters).map(({ detail }) => detail);
}

test('deposits that may still change are found through their own index', () => {
  expect(planOf(waitingDepositRows)).toEqual(['SCAN deposits USING INDEX deposits_waiting']);
});

test('the most urgent breaks are read in order from an index', () => {
  const plan = planOf((db) => ({
    compile: () =>
      sql`select * from breaks where ${UNRESOLVED} order by ${BY_URGENCY} limit 12`.compile(db),
  }));
  expect(plan).toEqual(['SCAN breaks USING INDEX breaks_by_urgency']);
});

test('the oldest held deposit and the oldest unacknowledged credit take one index step each', () => {
  expect(planOf((db) => oldestHeld(db, 'dust'))).toEqual([
    'SEARCH deposits USING COVERING INDEX deposits_held (reason=?)',
  ]);
  expect(planOf(oldestUnacknowledged)).toEqual([
    'SCAN deposits USING COVERING INDEX deposits_unacknowledged',
  ]);
});

test('disputed deposits are found from the claimed hashes, and their transactions read last', () => {
  const query = { verifiedBy: 1, limit: 10 };
  expect(planOf((db) => disputedDepositRows(db, query))).toEqual([
    'SEARCH deposits USING PRIMARY KEY (hash_id=?)',
    'LIST SUBQUERY 1',
    'SCAN own_hashes USING COVERING INDEX own_hashes_claimed',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH own_hashes USING COVERING INDEX own_hashes_claimed (hash_id=?)',
    'SEARCH withdrawals USING INDEX sqlite_autoindex_withdrawals_1 (transaction_id=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ]);
});
