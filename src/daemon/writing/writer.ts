import type { Database } from 'better-sqlite3';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { decode, decodeAgain } from '../../intake/decode.ts';
import { openForWriting, openReplica } from '../../store/sqlite/file/database.ts';
import { SqliteLedger } from '../../store/sqlite/sqlite-ledger.ts';
import { failureOf } from '../reading/thread-failure.ts';
import type { SharedStore } from './shared-store.ts';
import { WriterThread, type WrittenStore } from './writer-thread.ts';
import type { FromWriter, SharedJournalOptions, ToWriter, WriterOptions } from './messages.ts';

function ledgerOf(db: Database): SqliteLedger {
  return new SqliteLedger(db, {
    decode,
    decodeAgain,
    now: () => Date.now(),
    checkpoints: 'elsewhere',
  });
}

/** A replica of the journal in PostgreSQL. Only this store loads PostgreSQL's client. */
async function sharedStore(
  replica: SqliteLedger,
  {
    shared,
    clock,
    say,
  }: {
    readonly shared: SharedJournalOptions;
    readonly clock: () => number;
    readonly say: (message: FromWriter) => void;
  },
): Promise<SharedStore> {
  const [{ SharedStore: Store }, { openSharedJournal }] = await Promise.all([
    import('./shared-store.ts'),
    import('./shared-journal.ts'),
  ]);
  return new Store({
    replica,
    journal: openSharedJournal(shared),
    leaseMs: shared.leaseSeconds * 1_000,
    clock,
    say,
  });
}

/** The one writer of the store. */
async function serve(port: MessagePort, { path, batchMax, shared }: WriterOptions): Promise<void> {
  const say = (message: FromWriter): void => port.postMessage(message);
  const clock = (): number => performance.now();
  let store: WrittenStore;
  try {
    store =
      shared === null
        ? ledgerOf(openForWriting(path))
        : await sharedStore(ledgerOf(openReplica(path)), { shared, clock, say });
  } catch (error) {
    say({ kind: 'refused', failure: failureOf(error) });
    return;
  }
  const writer = new WriterThread({ store, batchMax, clock, say });
  port.on('message', (message: ToWriter) => writer.take(message));
  say({ kind: 'open' });
}

if (parentPort === null) throw new Error('the writer is started by the daemon, as a thread');
void serve(parentPort, workerData as WriterOptions);
