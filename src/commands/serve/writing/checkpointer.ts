import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { openForCheckpoints } from '../../../store/sqlite/database.ts';
import type { CheckpointerOptions } from './messages.ts';

/** Pages that the writer may be left with: it copies as many in a few milliseconds. */
const LEFT_MAX = 256;
/** Each time over the log leaves what was committed during it, a fraction of what it copied. */
const TIMES_MAX = 4;

/** A full disk, say: the log grows until the next time, and nothing is lost. */
function copied(db: Database): boolean {
  let behind = 0;
  try {
    for (let times = 0; times < TIMES_MAX; times += 1) {
      const [state] = db.pragma('wal_checkpoint(PASSIVE)') as { checkpointed: number }[];
      const reached = state?.checkpointed ?? 0;
      if (reached - behind <= LEFT_MAX) break;
      behind = reached;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies what was committed from the write-ahead log into the store's file, on a thread of its own,
 * so that no commit pays for it. Passive: it waits for nobody, and nobody waits for it.
 */
function serve(port: MessagePort, { path }: CheckpointerOptions): void {
  const db = openForCheckpoints(path);
  port.on('message', () => {
    port.postMessage(copied(db) ? 'copied' : 'not copied');
  });
}

if (parentPort === null) throw new Error('the checkpointer is started by the daemon, as a thread');
serve(parentPort, workerData as CheckpointerOptions);
