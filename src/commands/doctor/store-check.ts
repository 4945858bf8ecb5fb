import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { openForReading } from '../../store/sqlite/database.ts';
import { StoreRefused } from '../../store/sqlite/refusal.ts';
import { SqliteReads } from '../../store/sqlite/sqlite-reads.ts';
import { checkClock } from './clock-check.ts';
import { ok, problem, type Diagnosis } from './diagnosis.ts';

/**
 * Whether the store can be opened, or made where it is not there yet, and whether its facts are of
 * before `now` (Unix milliseconds).
 */
export async function checkStore(path: string, now: number): Promise<Diagnosis[]> {
  if (!existsSync(path)) return [checkFolder(path)];
  try {
    const reads = new SqliteReads(openForReading(path));
    try {
      const { journalHead } = await reads.counts();
      const facts = `${journalHead} ${journalHead === 1 ? 'fact' : 'facts'}`;
      const sound = ok('store', `${path} holds ${facts}; \`counterfoil verify\` audits it`);
      return [sound, ...(await checkClock(reads, now))];
    } finally {
      reads.close();
    }
  } catch (error) {
    if (error instanceof StoreRefused) return [problem('store', error.message)];
    throw error;
  }
}

function checkFolder(path: string): Diagnosis {
  const folder = dirname(path);
  try {
    accessSync(folder, constants.W_OK);
    return ok('store', `${path} is not there yet; the daemon will make it`);
  } catch {
    return problem(
      'store',
      `${folder} is not a folder that can be written: create it, or change "store"`,
    );
  }
}
