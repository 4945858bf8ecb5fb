import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { cursorOf, feedSeqAt } from '../../../../src/domain/deposit/feed-cursor.ts';
import { decode } from '../../../../src/intake/decode.ts';
import { backup, restore } from '../../../../src/store/sqlite/file/backup.ts';
import { StoreRefused } from '../../../../src/store/refusal.ts';
import { rebuild } from '../../../../src/store/sqlite/audit/rebuild.ts';
import { verify } from '../../../../src/store/sqlite/audit/verify.ts';
import { SqliteReads } from '../../../../src/store/sqlite/reads/sqlite-reads.ts';
import { openForReading } from '../../../../src/store/sqlite/file/database.ts';
import { verifyWith } from '../../evidence.ts';
import { OpenLedger, openLedgerFile, START } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** The file and its companion files. */
function filesOf(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
}

/** An open store, and a path for its copy. */
async function storeAndCopy() {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  return { open, path, copy: join(dirname(path), 'copy') };
}

test('a backup is one file, also after an audit', async () => {
  const { path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  expect(filesOf(copy)).toEqual(['copy']);
  expect(verify(copy, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 2 });
  expect(filesOf(copy)).toEqual(['copy']);
});

test('only the owner may read a backup, from its first byte on', async () => {
  const { path, copy } = await storeAndCopy();
  const modes: number[] = [];
  const look = (): void => void modes.push(modeOf(`${copy}.partial`));
  await backup(path, copy, { ...SILENT, start: look, tick: look });
  expect(modes).not.toEqual([]);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  expect(modeOf(copy)).toBe(0o600);
});

test('a backup restores to a sound store and keeps the previous one', async () => {
  const { open, path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  open.close();
  expect(await restore(copy, path, { decode, now: () => START })).toMatchObject({
    previous: `${path}.before-restore-1`,
  });
  expect(modeOf(path)).toBe(0o600);
  expect(verify(path, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 3 });
  expect(filesOf(copy)).toEqual(['copy']);
});

/** Restores a backup, and appends the feed's first item; returns the feed's restores. */
async function continued({ from, to, at }: { from: string; to: string; at: string }) {
  await restore(from, to, { decode, now: () => Date.parse(at) });
  const open = new OpenLedger(to);
  await open.deliver(new Service().confirmed(6));
  await verifyWith(open);
  expect(open.feed()).toHaveLength(1);
  const reads = new SqliteReads(openForReading(to));
  const restores = await reads.feedRestores();
  reads.close();
  open.close();
  return restores;
}

test.for<[when: string, at: string]>([
  ['half an hour later', '2026-11-20T10:30:00Z'],
  ['in the same minute', '2026-11-20T10:00:30Z'],
  ['by a clock that was set back', '2025-11-20T10:00:00Z'],
])('a backup restored again %s uses no cursor of the lost history again', async ([_, at]) => {
  const { open, path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  open.close();
  const first = await continued({ from: copy, to: path, at: '2026-11-20T10:00:00Z' });
  const second = await continued({ from: copy, to: path, at });
  const lost = cursorOf(1, first);
  expect([feedSeqAt(lost, first), feedSeqAt(lost, second)]).toEqual([1, null]);
  expect(verify(path, { decode, progress: SILENT })).toMatchObject({ sound: true });
});

test('a backup beside a writer completes with the store’s state at its start', async () => {
  const { open, path, copy } = await storeAndCopy();
  // Random text does not compress, so the store has more pages than one step copies.
  const padding = randomBytes(12_000_000).toString('base64');
  for (let at = 0; at < padding.length; at += 1_000_000) {
    const more = { blockchainHash: `0x${at}`, padding: padding.slice(at, at + 1_000_000) };
    await open.deliver({ ...new Service().confirmed(1, more), id: `long-${at}` });
  }
  const facts = open.journalLength();
  let steps = 0;
  const write = (): void => {
    steps += 1;
    if (steps > 50) throw new Error('every commit restarts the copy');
    open.db.exec("UPDATE intake_counts SET count = count + 1 WHERE outcome = 'accepted'");
  };
  await backup(path, copy, { ...SILENT, tick: write });
  expect(steps).toBeGreaterThan(1);
  expect(verify(copy, { decode, progress: SILENT })).toMatchObject({ sound: true, facts });
});

test('a backup gets its name only when it is complete', async () => {
  const { path, copy } = await storeAndCopy();
  const met: string[][] = [];
  const look = (): void => void met.push(filesOf(copy));
  await backup(path, copy, { ...SILENT, start: look, tick: look });
  expect(met.flat()).not.toContain('copy');
  expect(filesOf(copy)).toEqual(['copy']);
});

test('of two backups at a time to one file, the second is refused and the first is whole', async () => {
  const { path, copy } = await storeAndCopy();
  const [first, second] = await Promise.allSettled([
    backup(path, copy, SILENT),
    backup(path, copy, SILENT),
  ]);
  expect(first).toEqual({ status: 'fulfilled', value: undefined });
  expect(second).toMatchObject({
    status: 'rejected',
    reason: new StoreRefused(
      `${copy} is being written by another process: wait until that process ends, or choose another --out`,
    ),
  });
  expect(filesOf(copy)).toEqual(['copy']);
  expect(verify(copy, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 2 });
});

test('a backup to a full disk names the cause and leaves no file', async () => {
  const { path, copy } = await storeAndCopy();
  const full = (): void => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  };
  await expect(backup(path, copy, { ...SILENT, start: full })).rejects.toThrow(
    `${copy} cannot be written (database or disk is full): make room on its disk and try again`,
  );
  expect(filesOf(copy)).toEqual([]);
});

test('a backup onto a folder or a file says which it is, and what to write', async () => {
  const { path, copy } = await storeAndCopy();
  const folder = dirname(copy);
  await expect(backup(path, folder, SILENT)).rejects.toThrow(
    `${folder} is a folder: name the new file in it, for example ${folder}/store.db`,
  );
  writeFileSync(copy, '');
  await expect(backup(path, copy, SILENT)).rejects.toThrow(
    `${copy} exists already and is not overwritten: choose another --out`,
  );
});

test('a backup below a file says which file is in the way', async () => {
  const { path, copy } = await storeAndCopy();
  writeFileSync(copy, '');
  await expect(backup(path, join(copy, 'copy'), SILENT)).rejects.toThrow(
    `${join(copy, 'copy')} cannot be opened: ${copy} is a file, not a folder`,
  );
});

test('a restore from a backup with the name of the file that it writes first keeps the backup', async () => {
  const { open, path } = await storeAndCopy();
  const taken = `${path}.restore`;
  await backup(path, taken, SILENT);
  open.close();
  await expect(restore(taken, path, { decode, now: () => START })).rejects.toThrow(
    `${taken} has the name of the file that this command writes first: rename it, then try again`,
  );
  expect(verify(taken, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 2 });
});

test('a backup of a store with the name of the unfinished copy keeps the store', async () => {
  const { open, path } = await storeAndCopy();
  open.close();
  const taken = join(dirname(path), 'copy.partial');
  renameSync(path, taken);
  await expect(backup(taken, join(dirname(path), 'copy'), SILENT)).rejects.toThrow(
    `${taken} has the name of the file that this command writes first: rename it, then try again`,
  );
  expect(verify(taken, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 2 });
});

test('a failed restore leaves the store unchanged and no other file', async () => {
  const { open, path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  open.close();
  const now = (): number => {
    throw new Error('no clock');
  };
  await expect(restore(copy, path, { decode, now })).rejects.toThrow('no clock');
  expect(filesOf(path).filter((name) => name.includes('restore'))).toEqual([]);
  expect(verify(path, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 2 });
});

test('a restore that cannot leave its own record in one file is refused', async () => {
  const { open, path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  open.close();
  const before = readFileSync(path);
  let reader: Database.Database | undefined;
  // Somebody begins to read the new file before its first commit, and goes on.
  const now = (): number => {
    reader ??= new Database(`${path}.restore`, { readonly: true });
    if (!reader.inTransaction) reader.exec('BEGIN; SELECT count(*) FROM journal');
    return START;
  };
  await expect(restore(copy, path, { decode, now })).rejects.toThrow('is locked');
  reader?.close();
  expect(readFileSync(path)).toEqual(before);
});

test('the refusal names a lock file that cannot be opened', async () => {
  const { open, path, copy } = await storeAndCopy();
  open.close();
  mkdirSync(`${copy}.lock`);
  await expect(restore(path, copy, { decode, now: () => START })).rejects.toThrow(
    `${copy}.lock is a folder`,
  );
});

/** A store after its daemon was killed: only the WAL holds the last commit. */
async function killedStore() {
  const { open, path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  await open.deliver(new Service().confirmed(2));
  const store = join(dirname(path), 'killed.db');
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${store}${suffix}`);
  return { store, copy };
}

test('a restore first copies all commits from the WAL into the old store’s file', async () => {
  const { store, copy } = await killedStore();
  const alone = `${store}.alone`;
  // A restore that stops after this point may leave the file without its WAL.
  const now = (): number => {
    copyFileSync(store, alone);
    return START;
  };
  const { previous } = await restore(copy, store, { decode, now });
  expect(filesOf(previous ?? '')).toEqual(['killed.db.before-restore-1']);
  for (const file of [alone, previous ?? '']) {
    expect(verify(file, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 3 });
  }
});

test('a restore keeps a damaged store unchanged under another name', async () => {
  const { store, copy } = await killedStore();
  rmSync(`${store}-wal`);
  writeFileSync(store, 'no database');
  const { previous } = await restore(copy, store, { decode, now: () => START });
  expect(readFileSync(previous ?? '', 'utf8')).toBe('no database');
  expect(verify(store, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 3 });
});

test('a restore and a rebuild are refused while another process reads an earlier snapshot', async () => {
  const { store, copy } = await killedStore();
  const reader = new Database(store, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM journal').get();
  const later = new Database(store);
  later.exec('UPDATE intake_counts SET count = count + 1');
  later.close();
  const reading = `${store} is being read by another process`;
  await expect(restore(copy, store, { decode, now: () => START })).rejects.toThrow(reading);
  const options = { decode, progress: SILENT, acceptFeed: false };
  expect(() => rebuild(store, options)).toThrow(reading);
  reader.close();
  expect(rebuild(store, options)).toMatchObject({ facts: 3 });
});
