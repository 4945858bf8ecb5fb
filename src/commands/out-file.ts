import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { CommandFailed } from '../daemon/process/terminal.ts';

/** How every SQLite file begins (SQLite's file format, section 1.3). */
const SQLITE_BEGINNING = 'SQLite format 3\0';

/**
 * Whether a file is a SQLite database, such as a store; false for a file that cannot be read, and for
 * a pipe or a terminal.
 */
export function isSqliteFile(path: string): boolean {
  try {
    // Reading from a pipe would wait for ever.
    if (!statSync(path).isFile()) return false;
    const file = openSync(path, 'r');
    try {
      const beginning = Buffer.alloc(SQLITE_BEGINNING.length);
      readSync(file, beginning, 0, beginning.length, 0);
      return beginning.toString('latin1') === SQLITE_BEGINNING;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** Files beside a database that belong to it (SQLite's file format, section 4; SQLite's WAL). */
const PART_OF_DATABASE = /-(?:wal|shm|journal)$/;

/** Whether a file, or what it links to, has the name of a part of a SQLite database beside it. */
export function isPartOfDatabase(path: string): boolean {
  const real = realPath(path);
  const database = real.replace(PART_OF_DATABASE, '');
  return database !== real && isSqliteFile(database);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether two names are of one file, also by a link; false where one of them cannot be read. */
export function isSameFile(one: string, other: string): boolean {
  try {
    const [first, second] = [one, other].map((path) => statSync(path, { bigint: true }));
    return first?.dev === second?.dev && first?.ino === second?.ino;
  } catch {
    return false;
  }
}

/** What to do about a file that the system does not even create, by the code of its error. */
const REMEDIES: Readonly<Record<string, string>> = {
  EEXIST: 'exists already and is not overwritten: choose another --out, or move it away',
  ENOENT: 'cannot be written: make its folder first, or choose another --out',
  ENOTDIR: 'cannot be written: its folder is a file, choose another --out',
  EISDIR: 'cannot be written: it is a folder, name a file in it',
  EACCES: 'cannot be written: choose an --out in a folder that you may write to',
};

/**
 * The failure of a file that the system did not create, with what to do; undefined for any other
 * error, after which the file may hold a part.
 */
export function notCreated(
  path: string,
  error: unknown,
  exitCode?: 1 | 2,
): CommandFailed | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy = REMEDIES[code];
  return remedy === undefined ? undefined : new CommandFailed(`${path} ${remedy}`, exitCode);
}

/** The failure of a file that was not written whole. */
export function notWhole(path: string, error: unknown, exitCode?: 1 | 2): CommandFailed {
  const why = error instanceof Error ? error.message : String(error);
  return new CommandFailed(`${path} cannot be written: ${why}`, exitCode);
}
