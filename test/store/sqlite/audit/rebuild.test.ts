import Sqlite from 'better-sqlite3';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { decode, decodeAgain } from '../../../../src/intake/decode.ts';
import { JournalReader } from '../../../../src/store/sqlite/journal/journal-reader.ts';
import { rebuild } from '../../../../src/store/sqlite/audit/rebuild.ts';
import { openForReading } from '../../../../src/store/sqlite/file/database.ts';
import { takeWriterLock } from '../../../../src/store/sqlite/file/writer-lock.ts';
import { SqliteReads } from '../../../../src/store/sqlite/reads/sqlite-reads.ts';
import { StoreRefused } from '../../../../src/store/refusal.ts';
import type { BodiesTableRow } from '../../../../src/store/sqlite/table/journal-tables.ts';
import { verify } from '../../../../src/store/sqlite/audit/verify.ts';
import { verifyWith } from '../../evidence.ts';
import { bodyOfTooManyAssets, storeOfTooManyAssets } from '../../too-many-assets.ts';
import { factOf, OpenLedger, openLedgerFile, temporaryPath } from '../../open-ledger.ts';
import { change, onChain, Service } from '../../webhook.ts';

const OPTIONS = {
  decode,
  progress: { start: () => undefined, tick: () => undefined, done: () => undefined },
  acceptFeed: false,
};

async function credited(): Promise<{ open: OpenLedger; path: string; service: Service }> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const first = service.confirmed(1);
  await open.deliver(first, first, service.confirmed(6), service.chain('transaction'));
  await verifyWith(open);
  return { open, path, service };
}

function damage(path: string, sql: string): void {
  const db = new Sqlite(path);
  db.exec(`DROP TRIGGER journal_keeps; DROP TRIGGER postings_stay; ${sql}`);
  db.close();
}

test('a rebuild repairs damaged projections and keeps the old file', async () => {
  const { open, path } = await credited();
  const before = { books: open.balances(), deposit: open.deposit(), feed: open.feed() };
  open.close();
  damage(
    path,
    "DELETE FROM postings; UPDATE deposits SET amount = '7'; UPDATE balances SET amount = '1'",
  );
  expect(verify(path, OPTIONS).sound).toBe(false);
  const report = rebuild(path, OPTIONS);
  expect(verify(path, OPTIONS).checks.flatMap(({ problems }) => problems)).toEqual([]);
  const again = new OpenLedger(path);
  expect({ books: again.balances(), deposit: again.deposit(), feed: again.feed() }).toEqual(before);
  expect(report).toEqual({ facts: again.journalLength(), previous: `${path}.before-rebuild-1` });
  const old = new Sqlite(report.previous, { readonly: true });
  expect(old.prepare('SELECT amount FROM deposits').pluck().get()).toBe('7');
  old.close();
});

test('a rebuild keeps the delivery counts and seals, and new facts continue the journal', async () => {
  const { open, path, service } = await credited();
  const counts = open.rows('SELECT * FROM intake_counts ORDER BY outcome');
  const seals = open.rows('SELECT * FROM seals');
  open.close();
  rebuild(path, OPTIONS);
  const again = new OpenLedger(path);
  expect(again.rows('SELECT * FROM intake_counts ORDER BY outcome')).toEqual(counts);
  expect(again.rows('SELECT * FROM seals')).toEqual(seals);
  await again.deliver(service.incoming('rollback'));
  again.close();
  expect(verify(path, OPTIONS).sound).toBe(true);
});

test('a store whose early runs compared all differences in one commit is sound and rebuilds equal', async () => {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  // More than a bounded run compares in one commit.
  const forge = (name: string) =>
    open.deliverTogether(
      ...Array.from({ length: 70 }, (_, index) =>
        service.chain('transaction', { blockchainHash: `${name}${index}` }),
      ),
    );
  await forge('0xa');
  await open.unboundedRun();
  await forge('0xb');
  await open.run();
  const BREAKS = 'SELECT * FROM breaks ORDER BY break_id';
  const before = open.rows(BREAKS);
  expect(before).toHaveLength(70 + 50);
  open.close();
  expect(verify(path, OPTIONS).checks.flatMap(({ problems }) => problems)).toEqual([]);
  rebuild(path, OPTIONS);
  expect(verify(path, OPTIONS).sound).toBe(true);
  const again = new OpenLedger(path);
  expect(again.rows(BREAKS)).toEqual(before);
});

test('each rebuild keeps the old store under a new name and leaves no other file', async () => {
  const { open, path } = await credited();
  open.close();
  rebuild(path, OPTIONS);
  rebuild(path, OPTIONS);
  expect(readdirSync(dirname(path)).toSorted()).toEqual([
    'store.db',
    'store.db.before-rebuild-1',
    'store.db.before-rebuild-2',
    'store.db.lock',
  ]);
});

test('a rebuild restores the append-only triggers', async () => {
  const { open, path } = await credited();
  open.close();
  damage(path, '');
  rebuild(path, OPTIONS);
  const again = new OpenLedger(path);
  expect(() => again.db.exec('UPDATE journal SET recorded_at = 0')).toThrow('append-only');
});

test('a rebuild from a damaged journal is refused and leaves the store unchanged', async () => {
  const { open, path } = await credited();
  open.close();
  damage(path, 'UPDATE journal SET recorded_at = recorded_at + 1 WHERE seq = 2');
  expect(() => rebuild(path, OPTIONS)).toThrow(StoreRefused);
  expect(() => rebuild(path, OPTIONS)).toThrow(/journal is damaged.*restore the latest backup/);
  expect(existsSync(`${path}.rebuild`)).toBe(false);
  expect(existsSync(`${path}.before-rebuild-1`)).toBe(false);
});

test('a rebuild is refused while the daemon runs, so that none of its facts is lost', async () => {
  const { open, path, service } = await credited();
  const daemon = takeWriterLock(path);
  expect(() => rebuild(path, OPTIONS)).toThrow(StoreRefused);
  daemon.release();
  await open.deliver(service.incoming('rollback'));
  open.close();
  const again = new OpenLedger(path);
  expect(again.balances()).toEqual({});
});

test('a store has one writer lock, whichever link names it', async () => {
  const { open, path } = await credited();
  const folder = `${path}.folder`;
  symlinkSync(dirname(path), folder);
  const file = `${path}.link`;
  symlinkSync(path, file);
  const names = [path, join(folder, basename(path)), file];
  for (const name of names) {
    const daemon = takeWriterLock(name);
    for (const other of names) expect(() => takeWriterLock(other)).toThrow(/is in use by another/);
    daemon.release();
  }
  open.close();
});

/** A store with commits of several blocks, one of them written between the others. */
async function packedVariously(): Promise<{ open: OpenLedger; path: string }> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const depositOf = (number: number) => service.confirmed(1, { blockchainHash: `0x${number}` });
  for (const count of [1, 20, 3, 40]) {
    const numbers = Array.from({ length: count }, (_, at) => 100 * count + at);
    await open.deliverTogether(...numbers.map(depositOf));
  }
  const decision = { kind: 'restored', reason: 'put back' } as const;
  await open.commit([
    factOf(depositOf(1), open.at),
    { kind: 'decision', at: open.at, actor: 'ann', decision },
    factOf(depositOf(2), open.at),
  ]);
  return { open, path };
}

test('a rebuild keeps the blocks of bodies and every row of the journal', async () => {
  const { open, path } = await packedVariously();
  const journal = open.rows('SELECT * FROM journal');
  const blocks = open.rows<BodiesTableRow>('SELECT * FROM bodies');
  expect(blocks.map((one) => 1 + one.last_seq - one.first_seq)).toEqual([
    1, 1, 16, 4, 3, 16, 16, 8, 1, 2,
  ]);
  open.close();
  rebuild(path, OPTIONS);
  const again = new OpenLedger(path);
  expect(again.rows('SELECT * FROM journal')).toEqual(journal);
  expect(again.rows('SELECT * FROM bodies')).toEqual(blocks);
});

test('a rebuild puts bodies from rows into blocks of one commit each', async () => {
  const { open, path } = await packedVariously();
  open.close();
  putBodiesIntoRows(path);
  rebuild(path, OPTIONS);
  const again = new OpenLedger(path);
  const blocks = again.rows<BodiesTableRow>('SELECT * FROM bodies');
  expect(blocks.map((one) => 1 + one.last_seq - one.first_seq)).toEqual([
    1, 1, 16, 4, 3, 16, 16, 8, 3,
  ]);
  expect(verify(path, OPTIONS).sound).toBe(true);
});

/** Turns the journal into that of schema 3, with each body in its fact's row. */
function putBodiesIntoRows(path: string): void {
  const db = new Sqlite(path);
  const facts = [...new JournalReader(db).all()];
  db.exec('DROP TRIGGER journal_keeps; ALTER TABLE journal ADD COLUMN body BLOB');
  const put = db.prepare('UPDATE journal SET body = ? WHERE seq = ?');
  for (const { seq, body } of facts) put.run(body, seq);
  db.exec(`PRAGMA foreign_keys = OFF; DROP TABLE bodies;
    ALTER TABLE journal DROP COLUMN body_start; ALTER TABLE journal DROP COLUMN body_bytes;
    DROP TABLE withdrawals; PRAGMA user_version = 3`);
  db.close();
}

/** Marks a store as of schema 4 or 5, which had the same columns and other CHECKs. */
function markAs(schema: number): (path: string) => void {
  return (path) => {
    const db = new Sqlite(path);
    db.pragma(`user_version = ${schema}`);
    db.close();
  };
}

test.for([
  ['3', putBodiesIntoRows],
  ['4', markAs(4)],
  ['5', markAs(5)],
] as const)('a rebuild upgrades a store of schema %s', async ([_, makeOlder]) => {
  const { open, path } = await credited();
  const before = { feed: open.feed(), bodies: open.bodies('notification') };
  open.close();
  makeOlder(path);
  expect(() => new OpenLedger(path)).toThrow(/earlier Counterfoil.*counterfoil rebuild/);
  rebuild(path, OPTIONS);
  const again = new OpenLedger(path);
  expect({ feed: again.feed(), bodies: again.bodies('notification') }).toEqual(before);
  expect(verify(path, OPTIONS).sound).toBe(true);
});

test('a rebuild finds the on-chain addresses of a store that was made before them', async () => {
  const { open, path } = await openLedgerFile();
  const balanceChanges = [change('100', onChain('0xAb'))];
  await open.deliver(new Service().confirmed(1, { balanceChanges }));
  open.close();
  damage(
    path,
    `DELETE FROM keys WHERE space = 4; ALTER TABLE deposits DROP COLUMN network_address;
     ALTER TABLE deposits DROP COLUMN reported_address; PRAGMA user_version = 9`,
  );
  rebuild(path, OPTIONS);
  expect(verify(path, OPTIONS).sound).toBe(true);
  const reads = new SqliteReads(openForReading(path));
  const found = await reads.deposits({ networkAddress: '0xab' }, { page: 0, pageSize: 10 });
  reads.close();
  expect(found.items).toMatchObject([{ blockchainHash: '0xa1', reportedAddress: '0xAb' }]);
});

test('a rebuild of a store of schema 10 takes no on-chain address from its older records', async () => {
  const { open, path } = await openLedgerFile();
  const balanceChanges = [change('100', onChain('0xAb'))];
  await open.deliver(new Service().confirmed(6, { balanceChanges }));
  await verifyWith(open, { destinationAddress: '0xAb' });
  const feed = open.feed();
  open.close();
  damage(
    path,
    `UPDATE deposits SET network_address = reported_address;
     ALTER TABLE deposits DROP COLUMN reported_address; PRAGMA user_version = 10`,
  );
  rebuild(path, OPTIONS);
  expect(verify(path, OPTIONS).sound).toBe(true);
  const again = new OpenLedger(path);
  expect(again.feed()).toEqual(feed);
  expect(again.deposit()).toMatchObject({ network_address: null, reported_address: '0xAb' });
});

test.for([
  ['changed', "UPDATE credits SET amount = '7'"],
  ['shortened', 'DELETE FROM credits'],
])('a rebuild that finds the credit feed %s needs --accept-feed', async ([_, sql]) => {
  const { open, path } = await credited();
  const feed = open.feed();
  open.close();
  damage(path, `DROP TRIGGER credits_stay; DROP TRIGGER credits_keep; ${sql}`);
  expect(() => rebuild(path, OPTIONS)).toThrow(/feed differs.*item 1\b.*--accept-feed/);
  expect(existsSync(`${path}.rebuild`)).toBe(false);
  rebuild(path, { ...OPTIONS, acceptFeed: true });
  expect(new OpenLedger(path).feed()).toEqual(feed);
});

test('a store with notifications beyond today’s limits verifies and rebuilds equal', async () => {
  const { open, path } = await storeOfTooManyAssets();
  const before = { balances: open.balances(), deposits: open.deposits() };
  expect(before.deposits).toHaveLength(600);
  open.close();
  const options = { ...OPTIONS, decode: decodeAgain };
  expect(verify(path, options).checks.flatMap(({ problems }) => problems)).toEqual([]);
  rebuild(path, options);
  const again = new OpenLedger(path);
  expect({ balances: again.balances(), deposits: again.deposits() }).toEqual(before);
});

test('a body beyond the limits stays quarantined, also in a replay', async () => {
  const { open, path } = await openLedgerFile();
  expect(await open.deliver(bodyOfTooManyAssets())).toEqual(['quarantined']);
  const [kept] = open.rows<{ id: string; defect: string }>(
    'SELECT quarantine_id AS id, defect FROM quarantine',
  );
  const defect = 'balanceChanges: 600 assets, more than the 500 that are booked at once';
  expect(kept?.defect).toBe(defect);
  const retry = { kind: 'retry', quarantineId: kept?.id ?? '', reason: 'again' } as const;
  expect(await open.decide(retry)).toMatchObject({ kind: 'not_taken' });
  open.close();
  const options = { ...OPTIONS, decode: decodeAgain };
  expect(verify(path, options).checks.flatMap(({ problems }) => problems)).toEqual([]);
});

test('a refused rebuild leaves the files of a running one', async () => {
  const { open, path } = await credited();
  open.close();
  const lock = takeWriterLock(path);
  const underWay = `${path}.rebuild`;
  writeFileSync(underWay, 'half of the new tables');
  expect(() => rebuild(path, OPTIONS)).toThrow('in use by another process');
  expect(existsSync(underWay)).toBe(true);
  lock.release();
});

test('a refused rebuild frees the store for the next writer', () => {
  const missing = temporaryPath();
  expect(() => rebuild(missing, OPTIONS)).toThrow('cannot be opened');
  expect(() => takeWriterLock(missing).release()).not.toThrow();
});
