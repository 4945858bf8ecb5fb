import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { openForCheckpoints } from '../../store/sqlite/database.ts';
import type { CheckpointerOptions } from './messages.ts';

/** A full disk, say: the log grows until the next time, and nothing is lost. */
function copied(db: Database): boolean {
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
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
