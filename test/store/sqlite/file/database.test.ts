import { randomBytes } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  createTables,
  openForReading,
  openForWriting,
  openReplica,
  SCHEMA_VERSION,
} from '../../../../src/store/sqlite/file/database.ts';
import { StoreRefused } from '../../../../src/store/refusal.ts';
import { factOf, OpenLedger, openLedgerFile, temporaryPath } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

/** The message of a refused store; throws for any other result. */
function refusalOf(open: () => { close(): unknown }): string {
  try {
    open().close();
  } catch (error) {
    if (error instanceof StoreRefused) return error.message;
    throw error;
  }
  throw new Error('it was opened');
}

test('a fresh store writes durably: WAL, every commit fsynced, foreign keys on', () => {
  const db = openForWriting(temporaryPath());
  expect(db.pragma('synchronous', { simple: true })).toBe(2);
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
  db.close();
});

test('a new store has pages of 2 KiB', () => {
  const db = openForWriting(temporaryPath());
  expect(db.pragma('page_size', { simple: true })).toBe(2_048);
  db.close();
});

test('a replica leaves durability to its journal: no fsync for each commit', () => {
  const db = openReplica(temporaryPath());
  expect(db.pragma('synchronous', { simple: true })).toBe(1);
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  db.close();
});

test('a reopened store has the same contents', async () => {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  open.close();
  const db = openForWriting(path);
  expect(db.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(2);
  createTables(db);
  expect(db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
  db.close();
});

describe('a refusal says what to do and leaves the file unchanged', () => {
  const OPENERS = [
    ['for writing', openForWriting],
    ['for reading', openForReading],
  ] as const;

  test.for(OPENERS)('another program’s database, %s', ([_, open]) => {
    const path = temporaryPath();
    const db = new Sqlite(path);
    db.exec('CREATE TABLE bookmarks (url TEXT)');
    db.close();
    const before = readFileSync(path);
    expect(refusalOf(() => open(path))).toMatch(/another program.*a path of its own/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.for(OPENERS)('a newer Counterfoil’s store, %s', ([_, open]) => {
    const path = temporaryPath();
    const db = openForWriting(path);
    db.pragma('user_version = 4711');
    db.close();
    expect(refusalOf(() => open(path))).toMatch(
      /newer Counterfoil \(schema 4711.*restore a backup/,
    );
  });

  test.for(OPENERS)('an earlier Counterfoil’s store, %s', ([_, open]) => {
    const path = temporaryPath();
    const db = openForWriting(path);
    db.pragma(`user_version = ${SCHEMA_VERSION - 1}`);
    db.close();
    expect(refusalOf(() => open(path))).toMatch(
      /earlier Counterfoil.*counterfoil rebuild --store .*store\.db/,
    );
  });

  test.for(OPENERS)('a file that is no database at all, %s', ([_, open]) => {
    const path = temporaryPath();
    writeFileSync(path, 'Dear diary, '.repeat(1_000));
    expect(refusalOf(() => open(path))).toMatch(/not a SQLite database.*restore the latest backup/);
    expect(readFileSync(path, 'utf8')).toBe('Dear diary, '.repeat(1_000));
  });

  test('a store that lost its tail', async () => {
    const { open, path } = await openLedgerFile();
    open.close();
    const { length } = readFileSync(path);
    truncateSync(path, length - 40_960);
    expect(refusalOf(() => openForWriting(path))).toMatch(/damaged.*restore the latest backup/);
  });

  test('a store with a page overwritten', async () => {
    const { open, path } = await openLedgerFile();
    open.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4_096 * 3, 4_096 * 6);
    writeFileSync(path, bytes);
    expect(refusalOf(() => openForWriting(path))).toMatch(/damaged.*restore the latest backup/s);
  });

  test('a read-only store', async () => {
    const { open, path } = await openLedgerFile();
    open.close();
    const bytes = readFileSync(path);
    // A write version that SQLite does not know makes the file read-only, for root too.
    bytes[18] = 3;
    writeFileSync(path, bytes);
    expect(refusalOf(() => openForWriting(path))).toMatch(/cannot be written.*own the file/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('a missing folder', () => {
    const path = `${temporaryPath()}/no/store.db`;
    expect(refusalOf(() => openForWriting(path))).toMatch(/folder exists|directory does not exist/);
  });

  test('a missing store, which opening for reading does not create', () => {
    const path = temporaryPath();
    expect(refusalOf(() => openForReading(path))).toMatch(
      /cannot be opened .*: check that its folder exists, that you may read and write the file and the folder, and that the disk is not mounted read-only$/,
    );
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });
});

test('a reader cannot write', async () => {
  const { path } = await openLedgerFile();
  const db = openForReading(path);
  expect(() => db.exec("INSERT INTO intake_counts VALUES ('accepted', 1)")).toThrow('readonly');
  db.close();
});

test('a commit to a store that another writer locks is unavailable and keeps nothing', async () => {
  const { open, path } = await openLedgerFile();
  open.db.pragma('busy_timeout = 1');
  const other = new Sqlite(path);
  other.exec('BEGIN IMMEDIATE');
  const result = await open.ledger.commit([
    { kind: 'refused', at: open.at, raw: new Uint8Array([1]), defect: 'x' },
  ]);
  expect(result.kind === 'unavailable' && result.cause).toMatch('SQLITE_BUSY');
  other.exec('ROLLBACK');
  other.close();
  const length = open.journalLength();
  await open.deliver(new Service().confirmed(1));
  expect(open.journalLength()).toBe(length + 1);
});

test('a commit to a full disk is unavailable, and the same facts are accepted later', async () => {
  const { open } = await openLedgerFile();
  const service = new Service();
  const pages = open.db.pragma('page_count', { simple: true }) as number;
  open.db.pragma(`max_page_count = ${pages}`);
  // Random text does not compress.
  const big = { id: 'big', metadata: { text: randomBytes(100_000).toString('base64') } };
  await expect(open.deliver(service.confirmed(1, big))).rejects.toThrow('SQLITE_FULL');
  open.db.pragma('max_page_count = 1000000');
  expect(await open.deliver(service.confirmed(1, big), service.chain('transaction'))).toEqual([
    'accepted',
    'accepted',
  ]);
  expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
});

test('a commit to damaged pages is unavailable, so no fact is acknowledged', async () => {
  const { open, path } = await openLedgerFile();
  open.close();
  const again = new OpenLedger(path);
  again.db.pragma('shrink_memory');
  const bytes = readFileSync(path);
  writeFileSync(path, Buffer.from(bytes).fill(0x5a, 4_096));
  const delivery = factOf(new Service().confirmed(1), again.at);
  const result = await again.ledger.commit([delivery]);
  expect(result.kind === 'unavailable' && result.cause).toMatch('SQLITE_CORRUPT');
  writeFileSync(path, bytes);
  again.db.pragma('shrink_memory');
  const kept = { kind: 'delivery', status: 'accepted' };
  expect(await again.ledger.commit([delivery])).toEqual({ kind: 'committed', outcomes: [kept] });
});

test.for<[string, (path: string) => void]>([
  ['moved', (path) => renameSync(path, `${path}.moved`)],
  ['removed', (path) => rmSync(path)],
  [
    'replaced',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
])(
  'a commit to a store whose file was %s is unavailable, because its facts would be lost',
  async ([_, damage]) => {
    const { open, path } = await openLedgerFile();
    damage(path);
    const delivery = factOf(new Service().confirmed(1), open.at);
    const result = await open.ledger.commit([delivery]);
    expect(result.kind === 'unavailable' && result.cause).toMatch(
      /moved, replaced or removed under the daemon\. Put it back, or restart the daemon/,
    );
  },
);

test('a try to write says what a commit would say, and changes nothing', async () => {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  await open.deliver(service.confirmed(1));
  const before = open.ledger.head;
  renameSync(path, `${path}.aside`);
  expect(open.ledger.tryWrite('SQLITE_FULL: disk full')).toMatch(/moved, replaced or removed/);
  renameSync(`${path}.aside`, path);
  expect(open.ledger.tryWrite('SQLITE_FULL: disk full')).toBeNull();
  expect(open.ledger.head).toEqual(before);
  expect(await open.deliver(service.confirmed(2))).toEqual(['accepted']);
});

test('a try to write does not end the failure of a damaged store: only a commit meets the damage', async () => {
  const { open } = await openLedgerFile();
  const damaged = 'SQLITE_CORRUPT: database disk image is malformed';
  expect(open.ledger.tryWrite(damaged)).toBe(damaged);
});

test('a store whose file was moved back accepts commits again', async () => {
  const { open, path } = await openLedgerFile();
  const delivery = factOf(new Service().confirmed(1), open.at);
  renameSync(path, `${path}.aside`);
  expect((await open.ledger.commit([delivery])).kind).toBe('unavailable');
  renameSync(`${path}.aside`, path);
  const again = await open.ledger.commit([delivery]);
  // Nothing of the failed commit was kept.
  const outcome = { kind: 'delivery', status: 'accepted' };
  expect(again).toEqual({ kind: 'committed', outcomes: [outcome] });
});
