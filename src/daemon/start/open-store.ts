import { takeWriterLock } from '../../store/sqlite/file/writer-lock.ts';
import { ThreadedReads } from '../reading/threaded-reads.ts';
import type { SharedJournalOptions } from '../writing/messages.ts';
import { WriterLink } from '../writing/writer-link.ts';

/** The daemon's store: a writer thread and reader threads. */
export interface OpenStore {
  readonly queue: WriterLink;
  readonly reads: ThreadedReads;
  /** Ends the threads and releases the store's lock. */
  close(): Promise<void>;
}

/**
 * Opens a store with an exclusive lock. Rejects with `StoreRefused`. `batchMax`: most facts of one
 * commit. `queueMax`: most facts without an answer. `shared`: the journal that the store replicates, if
 * any. `onLost`: a worker thread stopped, so the daemon must exit.
 */
export async function openStore(options: {
  path: string;
  batchMax: number;
  queueMax: number;
  shared: SharedJournalOptions | null;
  onLost: (error: Error) => void;
}): Promise<OpenStore> {
  const { path, onLost } = options;
  const lock = takeWriterLock(path);
  try {
    const queue = await WriterLink.open(options);
    const reads = new ThreadedReads(path, onLost);
    const close = async (): Promise<void> => {
      await reads.close();
      await queue.end();
      lock.release();
    };
    return { queue, reads, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}
