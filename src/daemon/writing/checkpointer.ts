import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { openForCheckpoints } from '../../store/sqlite/file/database.ts';
import type { CheckpointerOptions } from './messages.ts';

/** Pages left for the writer, which copies them in a few milliseconds. */
const LEFT_MAX = 256;
/**
 * Most passes over the log. Each pass leaves what was committed during it, a fraction of what it
 * copied.
 */
const TIMES_MAX = 4;

/** Copies the log. Throws on failure, for example on a full disk. */
function copy(db: Database): void {
  let behind = 0;
  for (let times = 0; times < TIMES_MAX; times += 1) {
    const [state] = db.pragma('wal_checkpoint(PASSIVE)') as { checkpointed: number }[];
    const reached = state?.checkpointed ?? 0;
    if (reached - behind <= LEFT_MAX) break;
    behind = reached;
  }
}

/**
 * Copies committed pages from the write-ahead log into the store's file, on its own thread, so that
 * no commit waits for it. A passive checkpoint neither waits for readers nor blocks them.
 */
function serve(port: MessagePort, { path }: CheckpointerOptions): void {
  let db: Database | undefined;
  // After a failure the log grows until the next attempt, and nothing is lost. The writer reports a
  // damaged file, and the daemon goes on without writing.
  const isCopied = (): boolean => {
    try {
      db ??= openForCheckpoints(path);
      copy(db);
      return true;
    } catch {
      return false;
    }
  };
  port.on('message', () => port.postMessage(isCopied() ? 'copied' : 'not copied'));
}

if (parentPort === null) throw new Error('the checkpointer is started by the daemon, as a thread');
serve(parentPort, workerData as CheckpointerOptions);
