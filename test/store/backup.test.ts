import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { decode } from '../../src/intake/decode.ts';
import { backup, restore } from '../../src/store/sqlite/backup.ts';
import { rebuild } from '../../src/store/sqlite/rebuild.ts';
import { verify } from '../../src/store/sqlite/verify.ts';
import { openLedgerFile, START } from './open-ledger.ts';
import { Service } from './webhook.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** The file and what stands beside it under its name. */
function filesOf(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
}

/** A store that is written to, and where a copy of it may stand. */
async function storeAndCopy() {
  const { open, path } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  return { open, path, copy: join(dirname(path), 'copy') };
}

test('a backup is one file, and stays one when it is audited', async () => {
  const { path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  expect(filesOf(copy)).toEqual(['copy']);
  expect(verify(copy, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 2 });
  expect(filesOf(copy)).toEqual(['copy']);
});

test('a backup is its owner’s alone to read from its first byte on', async () => {
  const { path, copy } = await storeAndCopy();
  const modes: number[] = [];
  const look = (): void => void modes.push(modeOf(`${copy}.partial`));
  await backup(path, copy, { ...SILENT, start: look, tick: look });
  expect(modes).not.toEqual([]);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  expect(modeOf(copy)).toBe(0o600);
});

test('a backup of one file restores to a store that is written to as any other', async () => {
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

test('a backup beside a writer ends, and holds the store as it was when the copy began', async () => {
  const { open, path, copy } = await storeAndCopy();
  // More pages than one step copies; what does not compress, so that it takes them.
  const padding = randomBytes(12_000_000).toString('base64');
  for (let at = 0; at < padding.length; at += 1_000_000) {
    const more = { blockchainHash: `0x${at}`, padding: padding.slice(at, at + 1_000_000) };
    await open.deliver({ ...new Service().confirmed(1, more), id: `long-${at}` });
  }
  const facts = open.journalLength();
  let steps = 0;
  const write = (): void => {
    steps += 1;
    if (steps > 50) throw new Error('the copy begins again with every commit');
    open.db.exec("UPDATE intake_counts SET count = count + 1 WHERE outcome = 'accepted'");
  };
  await backup(path, copy, { ...SILENT, tick: write });
  expect(steps).toBeGreaterThan(1);
  expect(verify(copy, { decode, progress: SILENT })).toMatchObject({ sound: true, facts });
});

test('what is copied has the name of a backup only once it is whole', async () => {
  const { path, copy } = await storeAndCopy();
  const met: string[][] = [];
  const look = (): void => void met.push(filesOf(copy));
  await backup(path, copy, { ...SILENT, start: look, tick: look });
  expect(met.flat()).not.toContain('copy');
  expect(filesOf(copy)).toEqual(['copy']);
});

test('a backup onto a full disk says so, and leaves nothing there', async () => {
  const { path, copy } = await storeAndCopy();
  const full = (): void => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  };
  await expect(backup(path, copy, { ...SILENT, start: full })).rejects.toThrow(
    `${copy} cannot be written (database or disk is full): make room there and try again`,
  );
  expect(filesOf(copy)).toEqual([]);
});

test('a restore that fails leaves the store as it is, and nothing beside it', async () => {
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

test('a lock file that cannot be opened is named', async () => {
  const { open, path, copy } = await storeAndCopy();
  open.close();
  mkdirSync(`${copy}.lock`);
  await expect(restore(path, copy, { decode, now: () => START })).rejects.toThrow(
    `${copy}.lock is a folder`,
  );
});

/** The store as a daemon leaves it that is killed: what was committed last stands in the log alone. */
async function killedStore() {
  const { open, path, copy } = await storeAndCopy();
  await backup(path, copy, SILENT);
  await open.deliver(new Service().confirmed(2));
  const store = join(dirname(path), 'killed.db');
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${store}${suffix}`);
  return { store, copy };
}

test('before a restore touches the store all that was acknowledged is in its one file', async () => {
  const { store, copy } = await killedStore();
  const alone = `${store}.alone`;
  // Whoever is interrupted later finds this file under its name, and perhaps no log beside it.
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

test('a damaged store is put aside as it is when a backup is restored', async () => {
  const { store, copy } = await killedStore();
  rmSync(`${store}-wal`);
  writeFileSync(store, 'no database');
  const { previous } = await restore(copy, store, { decode, now: () => START });
  expect(readFileSync(previous ?? '', 'utf8')).toBe('no database');
  expect(verify(store, { decode, progress: SILENT })).toMatchObject({ sound: true, facts: 3 });
});

test('a store that another process reads an earlier state of is not put aside', async () => {
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
