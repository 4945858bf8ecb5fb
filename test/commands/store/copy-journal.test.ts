import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { copyToJournal, copyToStore } from '../../../src/commands/store/copy-journal.ts';
import { compareProjections } from '../../../src/store/sqlite/audit/projections.ts';
import { StoreRefused } from '../../../src/store/refusal.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { smallDisk } from '../../e2e/receivers/small-disk.ts';
import { played } from '../../store/bookkeeping/random-steps.ts';
import { choices } from '../../store/generated-choices.ts';
import { OpenLedger, temporaryPath } from '../../store/open-ledger.ts';
import { MemoryJournal } from '../../store/replicated/memory-journal.ts';
import { Service } from '../../store/webhook.ts';

const PATIENCE_MS = 240_000;
const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** A store in a file that took the facts of a play, one commit each. */
async function storeOf(story: readonly number[]): Promise<string> {
  const { play } = await played(story);
  const path = temporaryPath();
  const open = new OpenLedger(path);
  for (const fact of play.facts) await open.commit([fact]);
  open.close();
  play.open.close();
  return path;
}

/** A store in a file that took confirmations of these depths. */
async function deliveredStore(depths: readonly number[]): Promise<string> {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  for (const depth of depths) await open.deliver(new Service().confirmed(depth));
  open.close();
  return path;
}

/** The file and its companion files. */
function filesOf(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
}

function problemsBetween(one: string, other: string): readonly string[] {
  const [left, right] = [openForReading(one), openForReading(other)];
  try {
    const seals = 'SELECT * FROM seals ORDER BY commit_number';
    expect(right.prepare(seals).all()).toEqual(left.prepare(seals).all());
    return compareProjections(left, right).problems;
  } finally {
    left.close();
    right.close();
  }
}

test(
  'a store that is copied into a journal and back has the same seals and the same tables',
  async () => {
    const property = fc.asyncProperty(choices, async (story) => {
      const path = await storeOf(story);
      const back = `${path}.back`;
      const journal = new MemoryJournal();
      const there = await copyToJournal(path, journal.receiver('copy'), SILENT);
      const here = await copyToStore(journal.receiver('copy'), back, SILENT);
      expect(here).toEqual(there);
      expect(existsSync(`${path}.copy`)).toBe(false);
      expect(problemsBetween(path, back)).toEqual([]);
      rmSync(back);
    });
    await fc.assert(property, { numRuns: 15 });
  },
  PATIENCE_MS,
);

test('a copy out of a journal shows how many of its facts it has read', async () => {
  const path = await deliveredStore([1, 2, 3]);
  const journal = new MemoryJournal();
  await copyToJournal(path, journal.receiver('copy'), SILENT);
  const shown: (string | number)[] = [];
  await copyToStore(journal.receiver('copy'), `${path}.back`, {
    start: (stage, total) => void shown.push(stage, total),
    tick: (facts) => void shown.push(facts),
    done: () => void shown.push('done'),
  });
  expect(shown).toEqual(['copy', 3, 3, 'done']);
});

test('a copy out of a journal gets its name only when it is complete', async () => {
  const path = await deliveredStore([1, 2, 3]);
  const journal = new MemoryJournal();
  await copyToJournal(path, journal.receiver('copy'), SILENT);
  const back = `${path}.back`;
  const there: boolean[] = [];
  const look = (): void => void there.push(existsSync(back));
  await copyToStore(journal.receiver('copy'), back, { ...SILENT, start: look, tick: look });
  expect(there).toEqual([false, false]);
  expect(filesOf(back)).toEqual([basename(back)]);
});

test('a copy into a journal removes no file of the operator’s', async () => {
  const path = await deliveredStore([1]);
  writeFileSync(`${path}.copy`, 'a copy by hand');
  const journal = new MemoryJournal();
  await expect(copyToJournal(path, journal.receiver('copy'), SILENT)).rejects.toThrow(
    `${path}.copy is in the way of the copy's temporary file: remove it if an interrupted copy left it, or rename it`,
  );
  expect(readFileSync(`${path}.copy`, 'utf8')).toBe('a copy by hand');
  rmSync(`${path}.copy`);
  expect(await copyToJournal(path, journal.receiver('again'), SILENT)).toMatchObject({ facts: 1 });
});

test('a copy refuses a journal that has commits, and one that a receiver owns', async () => {
  const path = await deliveredStore([1]);
  const journal = new MemoryJournal();
  journal.acquire('a');
  await expect(copyToJournal(path, journal.receiver('copy'), SILENT)).rejects.toThrow(
    'the receiver a owns the journal: stop every receiver before a copy',
  );
  journal.now += journal.leaseMs + 1;
  await copyToJournal(path, journal.receiver('copy'), SILENT);
  await expect(copyToJournal(path, journal.receiver('copy'), SILENT)).rejects.toThrow(
    'the journal is not empty',
  );
});

test('a copy whose lease cannot be ended is complete, and says why it still owns the journal', async () => {
  const path = await deliveredStore([1, 2]);
  const journal = new MemoryJournal();
  const receiver = journal.receiver('copy');
  const cutAfterTheLast = () => {
    receiver.isCut = journal.commits.length === 2;
  };
  const copied = await copyToJournal(path, receiver, { ...SILENT, tick: cutAfterTheLast });
  expect(copied).toEqual({ facts: 2, commits: 2, stillOwned: 'the journal cannot be reached' });
  await copyToStore(journal.receiver('reader'), `${path}.back`, SILENT);
  expect(problemsBetween(path, `${path}.back`)).toEqual([]);
});

test('a copy into an existing file is refused, and the file stays', async () => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  open.close();
  const journal = new MemoryJournal();
  await expect(copyToStore(journal.receiver('copy'), path, SILENT)).rejects.toThrow(
    `${path} exists already and is not overwritten: choose another --to`,
  );
  expect(existsSync(path)).toBe(true);
  const folder = dirname(path);
  await expect(copyToStore(journal.receiver('copy'), folder, SILENT)).rejects.toThrow(
    `${folder} is a folder: name the new file in it, for example ${folder}/store.db`,
  );
});

test('of two copies at a time into one file, the second is refused and the first is whole', async () => {
  const path = await deliveredStore([1]);
  const journal = new MemoryJournal();
  await copyToJournal(path, journal.receiver('copy'), SILENT);
  const back = `${path}.back`;
  const [first, second] = await Promise.allSettled([
    copyToStore(journal.receiver('copy'), back, SILENT),
    copyToStore(journal.receiver('copy'), back, SILENT),
  ]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({
    status: 'rejected',
    reason: new StoreRefused(
      `${back} is being written by another process: wait until that process ends, or choose another --to`,
    ),
  });
  expect(filesOf(back)).toEqual([basename(back)]);
  expect(problemsBetween(path, back)).toEqual([]);
});

test('a copy whose disk is full says so, and leaves nothing behind', async ({ skip }) => {
  const disk = smallDisk(2);
  if (disk === null) {
    skip('this user may mount no file system');
    return;
  }
  const path = temporaryPath();
  const open = new OpenLedger(path);
  for (const number of [1, 2, 3, 4]) {
    const padding = randomBytes(600_000).toString('base64');
    await open.deliver({ ...new Service().confirmed(number), padding });
  }
  open.close();
  const journal = new MemoryJournal();
  await copyToJournal(path, journal.receiver('copy'), SILENT);
  const back = join(disk.folder, 'back.db');
  await expect(copyToStore(journal.receiver('copy'), back, SILENT)).rejects.toThrow(
    /back\.db cannot be written \(database or disk is full\): make room on its disk/,
  );
  expect(readdirSync(disk.folder)).toEqual([]);
});

test('a copy into a journal needs room beside the store, and says so', async ({ skip }) => {
  const disk = smallDisk(2);
  if (disk === null) {
    skip('this user may mount no file system');
    return;
  }
  const made = temporaryPath();
  const open = new OpenLedger(made);
  await open.deliver(new Service().confirmed(1));
  open.close();
  const path = join(disk.folder, 'store.db');
  copyFileSync(made, path);
  disk.fill();
  // Room for the lock, and not for the tables.
  const filler = join(disk.folder, 'filler');
  truncateSync(filler, statSync(filler).size - 65_536);
  await expect(copyToJournal(path, new MemoryJournal().receiver('copy'), SILENT)).rejects.toThrow(
    /store\.db\.copy cannot be written .*: make room on its disk/,
  );
  expect(existsSync(`${path}.copy`)).toBe(false);
});
