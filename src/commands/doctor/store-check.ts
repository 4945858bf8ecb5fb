import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { openForReading } from '../../store/sqlite/database.ts';
import { StoreRefused } from '../../store/sqlite/refusal.ts';
import { SqliteReads } from '../../store/sqlite/sqlite-reads.ts';
import { checkClock } from './clock-check.ts';
import { ok, problem, type Diagnosis } from './diagnosis.ts';

interface About {
  /** Unix milliseconds. */
  readonly now: number;
  /** Whether the user who asks may write a file or a folder that is there. */
  readonly mayWrite?: (path: string) => boolean;
}

/**
 * Whether the store can be opened and written, or made where it is not there yet, and whether its
 * facts are of before now.
 */
export async function checkStore(
  path: string,
  { now, mayWrite = isWritable }: About,
): Promise<Diagnosis[]> {
  const folder = dirname(resolve(path));
  if (!existsSync(path)) return [checkFolder(path, { folder, mayWrite })];
  try {
    const reads = new SqliteReads(openForReading(path));
    try {
      const { journalHead } = await reads.counts();
      const facts = `${journalHead} ${journalHead === 1 ? 'fact' : 'facts'}`;
      const sealed = [path, folder].find((one) => !mayWrite(one));
      const state =
        sealed === undefined
          ? ok('store', `${path} holds ${facts}; \`counterfoil verify\` audits it`)
          : problem('store', sealedText(sealed, path));
      return [state, ...(await checkClock(reads, now))];
    } finally {
      reads.close();
    }
  } catch (error) {
    if (error instanceof StoreRefused) return [problem('store', error.message)];
    throw error;
  }
}

/** The daemon keeps files of its own beside the store, and refuses to start where it cannot. */
function sealedText(sealed: string, path: string): string {
  return `${sealed} cannot be written: let the user who runs this own ${path} and its folder, and be able to write both`;
}

function checkFolder(
  path: string,
  { folder, mayWrite }: { folder: string; mayWrite: (path: string) => boolean },
): Diagnosis {
  return mayWrite(folder)
    ? ok('store', `${path} is not there yet; the daemon will make it`)
    : problem(
        'store',
        `${folder} is not a folder that can be written: create it, or change "store"`,
      );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
