import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress } from '../../../src/ops/progress.ts';
import { Deliveries } from '../load/delivery.ts';
import { postingsOf } from '../load/postings.ts';
import { openLedger, schemaOf } from './product.ts';
import { Traffic } from '../load/traffic.ts';

/** A store that was filled beforehand, kept below the system's folder for temporary files. */
export interface StoredBooks {
  readonly path: string;
  readonly notifications: number;
  /** Lines of its ledger entries. */
  readonly postings: number;
  readonly bytes: number;
  /** The day (UTC) on which all of it arrived, `2025-11-20`. */
  readonly day: string;
}

/** Deliveries in a commit while a store is filled: one fsync for many. */
const BATCH = 4_096;

const DAY_MS = 86_400_000;
const SEED = 0x0c0f_fee0;

/** The traffic's choices are the same in every run: its own draw after draw (a Lehmer generator). */
function chance(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

/** Deliveries of mixed traffic without its repeats, each known as soon as it is drawn. */
function* firstDeliveries(count: number): Generator<number> {
  const traffic = new Traffic('mixed', chance());
  for (let drawn = 0; drawn < count;) {
    const { delivery, isRepeat } = traffic.next();
    if (isRepeat) continue;
    traffic.acknowledged(delivery);
    drawn += 1;
    yield delivery;
  }
}

async function fill(
  path: string,
  options: { program: string; count: number; vaults: number; dayAt: number },
): Promise<number> {
  const { program, count, vaults, dayAt } = options;
  const ledger = await openLedger(program, path);
  const deliveries = new Deliveries({ vaults, seed: SEED });
  const into = Buffer.alloc(deliveries.bytesMax);
  const bar = createProgress({ total: count, label: 'notifications', stream: process.stderr });
  let postings = 0;
  let taken = 0;
  let batch: Buffer[] = [];
  const flush = async (): Promise<void> => {
    // Spread over the whole day.
    await ledger.take(batch, dayAt + Math.floor((taken / count) * DAY_MS));
    taken += batch.length;
    bar.tick(batch.length);
    batch = [];
  };
  try {
    await ledger.takePolicy(dayAt);
    for (const delivery of firstDeliveries(count)) {
      batch.push(Buffer.from(into.subarray(0, deliveries.write(into, delivery))));
      postings += postingsOf(delivery);
      if (batch.length === BATCH) await flush();
    }
    if (batch.length > 0) await flush();
  } finally {
    bar.done();
    ledger.close();
  }
  return postings;
}

/** A store of so many notifications that arrived yesterday; made once, then found again. */
export async function storedBooks(
  program: string,
  { count, vaults }: { count: number; vaults: number },
): Promise<StoredBooks> {
  const folder = join(tmpdir(), 'counterfoil-bench-stores');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${schemaOf(program)}-${vaults}-${count}.db`);
  const note = `${path}.json`;
  if (!existsSync(note)) {
    console.error(`filling ${path} with ${count} notifications, once`);
    const partial = `${path}.partial`;
    for (const end of ['', '-wal', '-shm']) rmSync(`${partial}${end}`, { force: true });
    const dayAt = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS;
    const postings = await fill(partial, { program, count, vaults, dayAt });
    renameSync(partial, path);
    const day = new Date(dayAt).toISOString().slice(0, 10);
    writeFileSync(note, JSON.stringify({ notifications: count, postings, day }));
  }
  const noted = JSON.parse(readFileSync(note, 'utf8')) as Omit<StoredBooks, 'path' | 'bytes'>;
  return { ...noted, path, bytes: statSync(path).size };
}

/** Where a measurement finds its store: a copy, or the store itself, which grows by what is sent. */
export function copyStore(
  books: Pick<StoredBooks, 'path'> | null,
  options: { folder: string; withoutCopy: boolean },
): string {
  if (books !== null && options.withoutCopy) return books.path;
  const path = join(options.folder, 'store.db');
  if (books !== null) copyFileSync(books.path, path);
  return path;
}
