import Database from 'better-sqlite3';
import fc from 'fast-check';
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateFileRefused } from '../../../src/simulator/state/refusal.ts';
import { StateFile } from '../../../src/simulator/state/state-file.ts';
import { State } from '../../../src/simulator/state/state.ts';

interface Row {
  readonly key: string;
  readonly value: number;
}

let folder: string;
let path: string;
const open: StateFile[] = [];
const failures: unknown[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-state-'));
  path = join(folder, 'core.db');
});

afterEach(() => {
  for (const file of open.splice(0)) file.close();
  failures.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

function openAt(where: string): StateFile {
  const file = StateFile.open(where, {
    origin: { seed: '7', clock: 'real' },
    onFailure: (error) => failures.push(error),
  });
  open.push(file);
  return file;
}

function loaded(where = path): { file: StateFile; state: State } {
  const file = openAt(where);
  const state = new State({ seed: 7 });
  file.load(state);
  return { file, state };
}

function contents(state: State): [string, [string, object][]][] {
  return [...state.snapshot().tables]
    .map(([name, rows]): [string, [string, object][]] => [name, [...rows]])
    .filter(([, rows]) => rows.length > 0)
    .toSorted(([left], [right]) => left.localeCompare(right));
}

test('a state is read back complete, in the order of its rows, after any changes', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', '\uD800', 'x\u0000y');
  const change = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), key, value: fc.nat(9) }),
    fc.record({ kind: fc.constant('delete' as const), key }),
    fc.record({ kind: fc.constantFrom('commit' as const, 'take' as const, 'go back' as const) }),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
      run += 1;
      const where = join(folder, `${run}.db`);
      const { file, state } = loaded(where);
      const tables = [state.table<Row>('one'), state.table<Row>('two')];
      let snapshot = state.snapshot();
      for (const each of changes) {
        if (each.kind === 'put') {
          for (const table of tables) table.put(each.key, { key: each.key, value: each.value });
        } else if (each.kind === 'delete') for (const table of tables) table.delete(each.key);
        else if (each.kind === 'take') snapshot = state.snapshot();
        else if (each.kind === 'go back') state.restore(snapshot);
        else await file.committed();
      }
      file.close();
      const again = loaded(where);
      expect(contents(again.state)).toEqual(contents(state));
      again.file.close();
    }),
    { numRuns: 40 },
  );
});

test('committed changes are on disk, and a turn of changes is one transaction', async () => {
  const { file, state } = loaded();
  await file.committed();
  const table = state.table<Row>('rows');
  for (let value = 0; value < 100; value += 1) table.put(`k${value % 10}`, { key: 'k', value });
  const first = file.committed();
  const second = file.committed();
  await Promise.all([first, second]);
  // The file after a crash: a copy of the bytes, without the writes of a close.
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  expect(contents(loaded(copy).state)).toEqual(contents(state));
});

test('a failed write rejects its waiters, and the next write repeats it', async () => {
  const { file, state } = loaded();
  const table = state.table<object>('rows');
  const unwritable = { toJSON: () => expect.fail('no room') as unknown };
  table.put('bad', unwritable);
  await expect(file.committed()).rejects.toThrow('no room');
  expect(failures).toHaveLength(1);
  table.put('bad', { good: true });
  await file.committed();
  file.close();
  expect(contents(loaded().state)).toEqual([['rows', [['bad', { good: true }]]]]);
});

test('virtual time is kept beside the records', async () => {
  const options = { origin: { seed: '7', clock: 'virtual' as const }, onFailure: () => undefined };
  const file = StateFile.open(path, options);
  let nowMs = 5;
  file.followTime(() => nowMs);
  nowMs = 1_767_225_600_123;
  await file.committed();
  file.close();
  const again = StateFile.open(path, options);
  open.push(again);
  expect(again.nowMs).toBe(nowMs);
});

test('only its owner may read it', () => {
  loaded();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('the seed and the clock that a file was made with stay', () => {
  loaded().file.close();
  const again = StateFile.open(path, {
    origin: { seed: '8', clock: 'virtual' },
    onFailure: () => undefined,
  });
  open.push(again);
  expect(again.origin).toEqual({ seed: '7', clock: 'real' });
});

test('a file in use by another core is refused', () => {
  loaded();
  expect(() => openAt(path)).toThrow(StateFileRefused);
  expect(() => openAt(path)).toThrow('stop the other custody core first');
});

test.each<[string, () => void, string]>([
  [
    'of another program',
    () => new Database(path).exec('CREATE TABLE mine (x)').close(),
    'is a SQLite database of another program: give --db a path of its own',
  ],
  [
    'that is not SQLite at all',
    () => writeFileSync(path, 'a,b,c\n'.repeat(500)),
    'is not a SQLite database',
  ],
  [
    'of a newer version',
    () => {
      loaded().file.close();
      const db = new Database(path);
      db.pragma('user_version = 2');
      db.close();
    },
    'was written by a newer custody core (format 2, this one knows 1): run that version',
  ],
  [
    'with a record that cannot be read',
    () => {
      loaded().file.close();
      new Database(path).exec(`INSERT INTO records VALUES (1, 't', '"k"', '{"half":')`).close();
    },
    'is damaged',
  ],
  [
    'that lost its end',
    () => {
      const { file, state } = loaded();
      for (let value = 0; value < 500; value += 1) {
        state.table<object>('rows').put(`${value}`, { text: 'x'.repeat(200) });
      }
      file.close();
      truncateSync(path, 20_480);
    },
    'is damaged',
  ],
  [
    'in a folder that is not there',
    () => {
      path = join(folder, 'nowhere', 'core.db');
    },
    'check that its folder exists',
  ],
  [
    'that is a folder',
    () => {
      path = folder;
    },
    'is a folder: name a file in it with --db',
  ],
])('a file %s is refused with what to do', (_name, prepare, message) => {
  prepare();
  expect(() => loaded()).toThrow(StateFileRefused);
  expect(() => loaded()).toThrow(message);
});
