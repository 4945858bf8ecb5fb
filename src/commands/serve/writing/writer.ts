import { performance } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { decode } from '../../../intake/decode.ts';
import { openForWriting } from '../../../store/sqlite/database.ts';
import type { KeysRead } from '../../../store/sqlite/key-index.ts';
import { SqliteLedger } from '../../../store/sqlite/sqlite-ledger.ts';
import { failureOf } from '../reading/failure.ts';
import { Desk } from './desk.ts';
import { nowAndThen } from './now-and-then.ts';
import type { FromWriter, ToWriter, WriterOptions } from './messages.ts';

function openLedger(path: string, keysRead: KeysRead): SqliteLedger {
  return new SqliteLedger(openForWriting(path), {
    decode,
    now: () => Date.now(),
    checkpoints: 'elsewhere',
    keysRead,
  });
}

/** The one writer of the store. */
function serve(port: MessagePort, { path, batchMax }: WriterOptions): void {
  const say = (message: FromWriter): void => port.postMessage(message);
  const clock = (): number => performance.now();
  let store: SqliteLedger;
  try {
    store = openLedger(
      path,
      nowAndThen(clock, (space, part) => say({ kind: 'opening', space, part })),
    );
  } catch (error) {
    say({ kind: 'refused', failure: failureOf(error) });
    return;
  }
  const desk = new Desk({ store, batchMax, clock, say });
  port.on('message', (message: ToWriter) => desk.take(message));
  say({ kind: 'open' });
}

if (parentPort === null) throw new Error('the writer is started by the daemon, as a thread');
serve(parentPort, workerData as WriterOptions);
