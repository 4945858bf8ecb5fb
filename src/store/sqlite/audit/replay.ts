import type { Database } from 'better-sqlite3';
import type { Fact } from '../../../domain/fact/fact.ts';
import { Bookkeeper } from '../../bookkeeping/bookkeeper.ts';
import { decodeFact } from '../../codec/fact.ts';
import type { DecodeBody, Writes } from '../../port.ts';
import type { JournalRow } from '../../records.ts';
import { ReplayedCloses } from './replayed-closes.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { HashNumbers } from '../keys/hash-numbers.ts';
import { KeyIndex } from '../keys/key-index.ts';
import { SqliteRecords } from '../writing/sqlite-records.ts';
import { SqliteWrites } from '../writing/sqlite-writes.ts';

/** A replay's transaction ends after this many facts or bytes of bodies. */
const BATCH = 2_000;
const BATCH_BYTES = 16 * 1024 * 1024;

/** This version cannot replay the journal to the effects that it had when it was written. */
export class ReplayDiverged extends Error {
  override readonly name = 'ReplayDiverged';
}

type Blocks = readonly (readonly JournalRow[])[];

function* batchesOf(blocks: Iterable<readonly JournalRow[]>): Generator<Blocks> {
  let batch: (readonly JournalRow[])[] = [];
  let facts = 0;
  let bytes = 0;
  for (const block of blocks) {
    batch.push(block);
    facts += block.length;
    for (const { body } of block) bytes += body.length;
    if (facts < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    facts = 0;
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Reads a fact. Throws `ReplayDiverged` when it is damaged or needs another version. */
function readFact(row: JournalRow, decode: DecodeBody): Fact {
  try {
    return decodeFact(row, decode);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ReplayDiverged(`journal position ${row.seq} (${row.kind}) cannot be read: ${why}`);
  }
}

/** Runs `take` for a fact. A rule fails only on a damaged body, which becomes `ReplayDiverged`. */
function retake(row: JournalRow, take: () => void): void {
  try {
    take();
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ReplayDiverged(`journal position ${row.seq} (${row.kind}) does not replay: ${why}`);
  }
}

/**
 * Replays a journal into an empty store with the bookkeeper that took the facts. The journal rows
 * are copied, and their effects computed again. Throws `ReplayDiverged` when this version cannot
 * read a fact, or when a fact has no effect any more.
 */
export function replay(
  from: Database,
  into: Database,
  options: {
    decode: DecodeBody;
    tick: (facts: number) => void;
    /** Called with the report of each day that the fact at `seq` closes (`packDay`). */
    closed?: (seq: number, packed: string) => void;
  },
): void {
  const keys = new KeyIndex(into);
  const hashes = new HashNumbers(keys);
  const records = new SqliteRecords(into, keys, hashes);
  const writer = new SqliteWrites(into, keys, hashes);
  const { decode, tick, closed } = options;
  const closes = new ReplayedCloses(from, records.closes, (row) => readFact(row, decode));
  const applyBatch = into.transaction((blocks: Blocks) => {
    for (const block of blocks) writer.appendJournal(block);
    const rows = blocks.flat();
    let taken = 0;
    const write = (writes: Writes): void => {
      taken += writes.journal.length;
      writer.write({ ...writes, journal: [], intakeCounts: new Map() });
    };
    // The batch's rows are already in the journal, so the bookkeeper starts before them.
    const journalHead = (rows[0]?.seq ?? 1) - 1;
    const keeper = new Bookkeeper({ source: records, journalHead, write, decode, replays: true });
    for (const row of rows) {
      const fact = closes.completed(readFact(row, decode));
      const packed = fact.kind === 'custody-record' ? fact.computed : undefined;
      if (packed !== undefined) closed?.(row.seq, packed);
      retake(row, () => {
        keeper.take(fact);
        closes.passed(row.seq, () => keeper.flush());
      });
      if (keeper.nextSeq !== row.seq + 1) {
        throw new ReplayDiverged(
          `journal position ${row.seq} (${row.kind}) has no effect in this version, and had one when it was written`,
        );
      }
    }
    keeper.flush();
    if (taken !== rows.length) {
      throw new ReplayDiverged(`the replay lost ${rows.length - taken} facts`);
    }
  });
  for (const batch of batchesOf(new JournalReader(from).blocks())) {
    applyBatch.immediate(batch);
    writer.committed();
    tick(batch.reduce((sum, block) => sum + block.length, 0));
  }
}
