import { takeWriterLock } from '../../store/sqlite/writer-lock.ts';
import type { KeysRead } from '../../store/sqlite/key-index.ts';
import { ThreadedReads } from './reading/threaded-reads.ts';
import { ThreadedLedger } from './writing/threaded-ledger.ts';

/** A store as the daemon has it: its writer and its readers, each on a thread. */
export interface OpenStore {
  readonly ledger: ThreadedLedger;
  readonly reads: ThreadedReads;
  /** Ends the threads and lets others have the store. */
  close(): Promise<void>;
}

/**
 * Opens a store for the daemon alone. Rejects with `StoreRefused`. `batchMax`: most facts of one
 * commit. `onLost`: a thread has ended by itself, and there is nothing to go on with. `onOpening`: told
 * every few seconds while a large store is opened.
 */
export async function openStore(options: {
  path: string;
  batchMax: number;
  onLost: (error: Error) => void;
  onOpening: KeysRead;
}): Promise<OpenStore> {
  const { path, onLost } = options;
  const lock = takeWriterLock(path);
  try {
    const ledger = await ThreadedLedger.open(options);
    const reads = new ThreadedReads(path, onLost);
    const close = async (): Promise<void> => {
      await reads.close();
      await ledger.close();
      lock.release();
    };
    return { ledger, reads, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}
