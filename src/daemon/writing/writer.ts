import { performance } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { decode } from '../../intake/decode.ts';
import { openForWriting } from '../../store/sqlite/file/database.ts';
import { SqliteLedger } from '../../store/sqlite/sqlite-ledger.ts';
import { failureOf } from '../reading/thread-failure.ts';
import { WriterThread } from './writer-thread.ts';
import type { FromWriter, ToWriter, WriterOptions } from './messages.ts';

function openLedger(path: string): SqliteLedger {
  return new SqliteLedger(openForWriting(path), {
    decode,
    now: () => Date.now(),
    checkpoints: 'elsewhere',
  });
}

/** The one writer of the store. */
function serve(port: MessagePort, { path, batchMax }: WriterOptions): void {
  const say = (message: FromWriter): void => port.postMessage(message);
  const clock = (): number => performance.now();
  let store: SqliteLedger;
  try {
    store = openLedger(path);
  } catch (error) {
    say({ kind: 'refused', failure: failureOf(error) });
    return;
  }
  const writer = new WriterThread({ store, batchMax, clock, say });
  port.on('message', (message: ToWriter) => writer.take(message));
  say({ kind: 'open' });
}

if (parentPort === null) throw new Error('the writer is started by the daemon, as a thread');
serve(parentPort, workerData as WriterOptions);
