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
import { describe, expect, onTestFinished, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { createTables } from '../../../src/store/sqlite/file/database.ts';
import { BY_URGENCY, UNRESOLVED } from '../../../src/store/sqlite/reads/breaks/breaks.ts';
import { recordRows } from '../../../src/store/sqlite/reads/life-facts.ts';
import { oldestHeld, oldestUnacknowledged } from '../../../src/store/sqlite/reads/counts.ts';
import {
  breakRows,
  entryRows,
  notificationRows,
} from '../../../src/store/sqlite/reads/deposits/deposit-life.ts';
import {
  atAddress,
  depositScan,
  lastOfScan,
  NEWEST,
  ofHashes,
  UNACKNOWLEDGED,
  CHANGEABLE,
  type Source,
} from '../../../src/store/sqlite/reads/deposits/deposit-search.ts';
import {
  disputedDepositRows,
  heldRows,
  newestRows,
  unacknowledgedRows,
  changeableDepositRows,
} from '../../../src/store/sqlite/reads/deposits/deposits.ts';
import { postingRows } from '../../../src/store/sqlite/reads/books/statement.ts';
import {
  hashedNotifications,
  unhashedNotifications,
  unresolvedBreaks,
  withdrawalPostings,
} from '../../../src/store/sqlite/reads/withdrawals/withdrawal-life.ts';
import { unsentTransferRows } from '../../../src/store/sqlite/reads/withdrawals/withdrawals.ts';
import { vaultChain } from '../../../src/store/sqlite/reads/notifications.ts';
import type { DepositSearch } from '../../../src/store/queries.ts';
import type { Tables } from '../../../src/store/sqlite/table/tables.ts';
import type { DepositRow } from '../../../src/store/sqlite/table/rows/deposit-row.ts';

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
  expect(planOf(changeableDepositRows)).toEqual(['SCAN deposits USING INDEX deposits_waiting']);
});

test('own transactions without a hash are found among those without a final status', () => {
  expect(planOf(unsentTransferRows)).toEqual([
    'SCAN withdrawals USING INDEX withdrawals_idle',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH own_hashes USING COVERING INDEX own_hashes_by_transaction (transaction_id=?)',
  ]);
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

test('held deposits of a reason are read in order from their index', () => {
  expect(planOf((db) => heldRows(db, 'operator_hold', 12))).toEqual([
    'SEARCH deposits USING INDEX deposits_held (reason=?)',
  ]);
});

test('the newest deposits are read from the end of their index', () => {
  expect(planOf((db) => newestRows(db, 50))).toEqual(['SCAN deposits USING INDEX deposits_by_seq']);
});

test('unacknowledged credits are read in order from their index', () => {
  expect(planOf((db) => unacknowledgedRows(db, 50))).toEqual([
    'SCAN deposits USING INDEX deposits_unacknowledged',
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

describe('a page of found deposits', () => {
  const POSITION = { first_seq: 9, hash_id: 9_000_000, deposit_id: 'dep_9' };

  /** Plans of the page, and of finding where its reading ended. */
  function plansOf(search: DepositSearch, source: Source, side: 'older' | 'newer') {
    const between = { after: 1, before: 8 };
    const scan = { search, source, from: POSITION, until: undefined, side, between, limit: 51 };
    const until = { first_seq: 3, hash_id: 3_000_000, deposit_id: 'dep_3' };
    return {
      page: planOf((db) => ({ compile: () => depositScan({ ...scan, until }).compile(db) })),
      last: planOf((db) => ({ compile: () => lastOfScan(scan, 100).compile(db) })),
    };
  }

  test.for([
    ['older', 'first_seq>? AND (first_seq,hash_id,deposit_id)<(?,?,?)'],
    ['newer', '(first_seq,hash_id,deposit_id)>(?,?,?) AND first_seq<?'],
  ] as const)('any filter reads deposits in order, at most so many: %s', ([side, bounds]) => {
    const search = { memo: '88', amountFrom: Amount(5n), attributedTo: 'customer 7' };
    const { page, last } = plansOf(search, NEWEST, side);
    const [beyond, until] = ['>', '<'].map(
      (sign) => `(first_seq,hash_id,deposit_id)${sign}(?,?,?)`,
    );
    expect(page).toEqual([`SEARCH deposits USING INDEX deposits_by_seq (${beyond} AND ${until})`]);
    expect(last).toEqual([`SEARCH deposits USING COVERING INDEX deposits_by_seq (${bounds})`]);
  });

  test.for([
    ['older', '<'],
    ['newer', '>'],
  ] as const)('a state is read in order from its own index: %s', ([side, sign]) => {
    const { page, last } = plansOf({ state: 'held', vaultId: 'v1' }, CHANGEABLE, side);
    const bounds = `state=? AND (hash_id,deposit_id)${sign}(?,?)`;
    const between = '(hash_id,deposit_id)>(?,?) AND (hash_id,deposit_id)<(?,?)';
    expect(page).toEqual([`SEARCH deposits USING INDEX deposits_waiting (state=? AND ${between})`]);
    expect(last).toEqual([`SEARCH deposits USING COVERING INDEX deposits_waiting (${bounds})`]);
  });

  test('few unacknowledged credits, and the deposits of a hash, are read and sorted', () => {
    expect(plansOf({ state: 'credited' }, UNACKNOWLEDGED, 'older').page).toEqual([
      'SCAN deposits USING INDEX deposits_unacknowledged',
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
    expect(plansOf({ blockchainHash: '0xa1' }, ofHashes([1, 2]), 'older').page).toContain(
      'SEARCH deposits USING PRIMARY KEY (hash_id=?)',
    );
  });

  test('deposits at an on-chain address are found by the numbers of their hashes', () => {
    const search = { networkAddress: '0xab', memo: '88' };
    const { page, last } = plansOf(search, atAddress('0xab', [1, 2]), 'older');
    expect(page).toContain('SEARCH deposits USING PRIMARY KEY (hash_id=?)');
    expect(last).toContain('SEARCH deposits USING PRIMARY KEY (hash_id=?)');
  });
});

test('notifications of a vault are found one by one, from the newest back', () => {
  const {
    within,
    also: [isNext],
  } = vaultChain({ vaultId: 'v1', status: 'accepted' }, 50);
  const plan = planOf((db) => ({
    compile: () =>
      sql`select n.* from ${within} cross join notifications as n where ${isNext}`.compile(db),
  }));
  expect(plan.filter((step) => step.includes('notifications'))).toEqual([
    'SEARCH notifications USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
  expect(plan.at(-1)).toBe('SEARCH n USING INTEGER PRIMARY KEY (rowid=?)');
});

test('the facts of a deposit are found by its hash', () => {
  const row = { hash_id: 1, vault_id: 'v1', transaction_id: 'tx' } as DepositRow;
  expect(planOf((db) => notificationRows(db, row))).toEqual([
    'SEARCH notifications USING INDEX notifications_by_hash (hash_id=?)',
  ]);
  expect(planOf((db) => entryRows(db, row))).toEqual([
    'SEARCH entries USING INDEX entries_by_hash (hash_id=?)',
    'SEARCH postings USING PRIMARY KEY (entry_id=?)',
    'SEARCH ledger_accounts USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
  expect(planOf((db) => breakRows(db, row))).toEqual([
    'SEARCH breaks USING INDEX breaks_by_hash (blockchain_hash=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ]);
});

test('a statement follows the entries of a position, each to the one before it', () => {
  const from = { account: 7, entryId: 1_000_000 };
  expect(planOf((db) => ({ compile: () => postingRows(from).compile(db) }))).toEqual([
    'CO-ROUTINE chain',
    'SETUP',
    'SCAN CONSTANT ROW',
    'RECURSIVE STEP',
    'SCAN chain',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH postings USING PRIMARY KEY (entry_id=?)',
    'SCAN chain',
    'SEARCH p USING PRIMARY KEY (entry_id=?)',
    'SEARCH e USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH n USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    'USE TEMP B-TREE FOR ORDER BY',
  ]);
});

test('the facts of a withdrawal are found by its hashes, and its breaks by their keys', () => {
  const about = { transactionId: 'tx', hashIds: [1, 2] };
  expect(planOf((db) => hashedNotifications(db, about))).toContain(
    'SEARCH notifications USING INDEX notifications_by_hash (hash_id=?)',
  );
  const unhashed = unhashedNotifications({ transactionId: 'tx', afterSeq: 7 });
  expect(planOf((db) => ({ compile: () => unhashed.compile(db) }))).toEqual([
    'SEARCH notifications USING INDEX notifications_without_hash (seq>? AND seq<?)',
  ]);
  expect(planOf((db) => withdrawalPostings(db, about))).toContain(
    'SEARCH entries USING INDEX entries_by_hash (hash_id=?)',
  );
  expect(planOf((db) => unresolvedBreaks(db, 'tx'))).toEqual([
    'SEARCH breaks USING INDEX breaks_unresolved (key=?)',
  ]);
});

test.for([
  ['of any kind', sql<boolean>`1 = 1`],
  ['of one kind', sql<boolean>`kind = 'decision'`],
  ['of one moment', sql<boolean>`recorded_at = 1`],
] as const)('custody records and decisions %s are read from their own index', ([_, that]) => {
  const rows = recordRows({ afterSeq: 7, throughSeq: 9, that, limit: 3 });
  expect(planOf((db) => ({ compile: () => rows.compile(db) }))).toEqual([
    expect.stringMatching(
      /^SEARCH journal USING( COVERING)? INDEX journal_records \(seq>\? AND seq<\?\)$/,
    ),
  ]);
});
