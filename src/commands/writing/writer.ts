import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { decode } from '../../intake/decode.ts';
import { openForWriting } from '../../store/sqlite/database.ts';
import { SqliteLedger } from '../../store/sqlite/sqlite-ledger.ts';
import { failureOf } from '../reading/failure.ts';
import { packedOutcomes, unpacked } from './batch.ts';
import type { Batch, FromWriter, ToWriter, WriterOptions } from './messages.ts';

function openLedger(path: string): SqliteLedger {
  return new SqliteLedger(openForWriting(path), {
    decode,
    now: () => Date.now(),
    checkpoints: 'elsewhere',
  });
}

/** Commits batches in the order in which they come: the one writer of the store. */
function serve(port: MessagePort, { path }: WriterOptions): void {
  const say = (message: FromWriter): void => port.postMessage(message);
  let ledger: SqliteLedger;
  try {
    ledger = openLedger(path);
  } catch (error) {
    say({ kind: 'refused', failure: failureOf(error) });
    return;
  }
  const commit = async (batch: Batch): Promise<void> => {
    const { id } = batch;
    try {
      const result = await ledger.commit(unpacked(batch));
      if (result.kind === 'unavailable') say({ kind: 'unavailable', id, cause: result.cause });
      else say({ kind: 'committed', id, ...packedOutcomes(result.outcomes) });
    } catch (error) {
      say({ kind: 'failed', id, failure: failureOf(error) });
    }
  };
  port.on('message', (message: ToWriter) => {
    switch (message.kind) {
      case 'commit':
        void commit(message.batch);
        return;
      case 'tidy':
        ledger.tidy();
        return;
      case 'close':
        ledger.close();
        say({ kind: 'closed' });
        port.close();
        return;
      default:
        message satisfies never;
    }
  });
  say({ kind: 'open' });
}

if (parentPort === null) throw new Error('the writer is started by the daemon, as a thread');
serve(parentPort, workerData as WriterOptions);
