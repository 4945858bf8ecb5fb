import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { changedZone, CloseCalendar } from '../../reconcile/close/calendar.ts';
import { openForReading } from '../../store/sqlite/file/database.ts';
import { freeBytes } from '../../store/sqlite/file/free-bytes.ts';
import { folderRefusal } from '../../store/sqlite/file/open-refusal.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { SqliteReads } from '../../store/sqlite/reads/sqlite-reads.ts';
import { checkClock } from './clock-check.ts';
import { ok, problem, warning, type Diagnosis } from './diagnosis.ts';

/** Less can be full before a person has read the result. */
const FREE_BYTES_MIN = 67_108_864;

const MIB_BYTES = 1_048_576;

interface About {
  /** Unix milliseconds. */
  readonly now: number;
  /** The zone and the schedule of the daily close. */
  readonly close: ConstructorParameters<typeof CloseCalendar>[0];
  /** The configuration's file, for the commands that a diagnosis names. */
  readonly configPath: string;
  /** Whether the current user may write an existing file or folder. */
  readonly mayWrite?: (path: string) => boolean;
  /** How many bytes the disk of a folder still takes from the current user. */
  readonly freeBytesOf?: (folder: string) => number;
}

/**
 * Checks that the store can be opened and written, or created, and that no fact lies in the future.
 */
export async function checkStore(
  path: string,
  { now, close, configPath, mayWrite = isWritable, freeBytesOf = freeBytes }: About,
): Promise<Diagnosis[]> {
  const folder = dirname(resolve(path));
  if (!existsSync(path)) return [checkFolder(path, { folder, mayWrite })];
  try {
    const reads = new SqliteReads(openForReading(path));
    try {
      const { journalHead } = await reads.counts();
      const facts = `${journalHead} ${journalHead === 1 ? 'fact' : 'facts'}`;
      const unwritable = [path, folder].find((one) => !mayWrite(one));
      const flaw =
        unwritable === undefined
          ? roomFlaw(path, freeBytesOf(folder))
          : unwritableText(unwritable, path);
      const audit = `\`counterfoil verify --config ${configPath}\` audits it`;
      const state =
        flaw === undefined
          ? ok('store', `${path} holds ${facts}; ${audit}`)
          : problem('store', flaw);
      return [state, ...(await checkClock(reads, now)), ...(await checkZone(reads, close))];
    } finally {
      reads.close();
    }
  } catch (error) {
    if (error instanceof StoreRefused) return [problem('store', error.message)];
    throw error;
  }
}

/** Warns if the time zone is not that of the last closed day. */
async function checkZone(reads: SqliteReads, close: About['close']): Promise<Diagnosis[]> {
  const last = await reads.lastClose();
  const change = last === undefined ? undefined : changedZone(last, new CloseCalendar(close));
  return change === undefined ? [] : [warning('time zone of days', change)];
}

/** Checks the files that the daemon keeps beside the store: it does not start without them. */
function unwritableText(unwritable: string, path: string): string {
  return `${unwritable} cannot be written: let the user who runs this own ${path} and its folder, and be able to write both`;
}

function roomFlaw(path: string, free: number): string | undefined {
  if (free >= FREE_BYTES_MIN) return undefined;
  const left = Math.floor(free / MIB_BYTES);
  return `the disk of ${path} has ${left} MiB left: make room; a daemon on a full disk answers 503 to webhooks`;
}

function checkFolder(
  path: string,
  { folder, mayWrite }: { folder: string; mayWrite: (path: string) => boolean },
): Diagnosis {
  const refused = folderRefusal(path);
  if (refused !== undefined) return problem('store', refused.message);
  if (mayWrite(folder)) return ok('store', `${path} does not exist yet; the daemon will create it`);
  return problem(
    'store',
    existsSync(folder)
      ? `${folder} cannot be written by this user: change its owner or its permissions, or change "store"`
      : `${folder} does not exist: create it, or change "store"`,
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
