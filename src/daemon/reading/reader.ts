import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { documentsFrom } from '../../report/document.ts';
import { tablesFrom } from '../../report/tables/table-documents.ts';
import { KeyLookup } from '../../store/sqlite/keys/key-lookup.ts';
import { openForReading } from '../../store/sqlite/file/database.ts';
import { SqliteReads } from '../../store/sqlite/reads/sqlite-reads.ts';
import { failureOf } from './thread-failure.ts';
import { divided } from './long-answer.ts';
import type { Call, Calls, FromReader, Method, ReaderOptions, ToReader } from './messages.ts';
import { keepPace } from './pace.ts';
import { keepPrepared } from './prepared-keys.ts';

/** The methods by name; types each call's arguments by its method. */
type Answering = {
  readonly [M in Method]: (...args: Calls[M]['args']) => Promise<Calls[M]['answer']>;
};

function answer<M extends Method>(
  reading: Answering,
  { method, args }: Call<M>,
): Promise<Calls[M]['answer']> {
  return reading[method](...args);
}

/**
 * Runs calls concurrently and answers each when it is done. Sends a long answer in parts, each
 * after the receipt of the one before, so that it never fills the other thread's queue.
 */
function serve(port: MessagePort, { path, pace }: ReaderOptions): void {
  keepPace(pace);
  const connection = openForReading(path);
  const keys = new KeyLookup(connection);
  const reads = new SqliteReads(connection, keys);
  const reading: Answering = Object.assign(reads, {
    document: documentsFrom(reads),
    table: tablesFrom(reads),
  });
  const taken = new Map<number, () => void>();
  const say = (message: FromReader): void => port.postMessage(message);
  const take = async (id: number, call: Call<Method>): Promise<void> => {
    const { rest, parts } = divided(await answer(reading, call));
    for (const part of parts) {
      const next = new Promise<void>((resolve) => taken.set(id, resolve));
      say({ kind: 'part', id, part });
      await next;
    }
    taken.delete(id);
    say({ kind: 'answered', id, answer: rest });
  };
  port.on('message', (message: ToReader) => {
    const { id } = message;
    if (message.kind === 'more') {
      taken.get(id)?.();
      return;
    }
    take(id, message).catch((error: unknown) => {
      say({ kind: 'failed', id, failure: failureOf(error) });
    });
  });
  // Look-ups by a key are prepared where a caller waits for them.
  if (pace === 'prompt') setImmediate(keepPrepared, keys);
}

if (parentPort === null) throw new Error('the reader is started by the daemon, as a thread');
serve(parentPort, workerData as ReaderOptions);
