import type { Database } from 'better-sqlite3';
import type { Fact } from '../../domain/fact.ts';
import { Bookkeeper } from '../bookkeeper.ts';
import { decodeFact } from '../fact-codec.ts';
import type { DecodeBody } from '../port.ts';
import type { JournalRow, Writes } from '../records.ts';
import { JournalReader } from './journal-reader.ts';
import { KeyIndex } from './key-index.ts';
import { SqliteRecords } from './sqlite-records.ts';
import { SqliteWrites } from './sqlite-writes.ts';
import { TouchedHashes } from './touched-hashes.ts';

/** Facts replayed per transaction, unless their bodies are large. */
const BATCH = 2_000;
const BATCH_BYTES = 16 * 1024 * 1024;

/** A journal that this version does not replay to where it led when it was written. */
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

/** A fact of the journal; one that cannot be read back was damaged, or needs another version. */
function readFact(row: JournalRow, decode: DecodeBody): Fact {
  try {
    return decodeFact(row, decode);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ReplayDiverged(`journal position ${row.seq} (${row.kind}) cannot be read: ${why}`);
  }
}

/** A body that parses to nonsense fails in a rule; only damage can do that here. */
function takeAgain(keeper: Bookkeeper, fact: Fact, row: JournalRow): void {
  try {
    keeper.take(fact);
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ReplayDiverged(`journal position ${row.seq} (${row.kind}) does not replay: ${why}`);
  }
}

/**
 * Replays a journal into an empty store, through the same bookkeeper that took the facts. The
 * journal rows are copied as they are; only their effects are made anew.
 */
export function replay(
  from: Database,
  into: Database,
  options: { decode: DecodeBody; tick: (facts: number) => void },
): void {
  const keys = new KeyIndex(into);
  const touched = new TouchedHashes(0);
  const records = new SqliteRecords(into, keys, touched);
  const writer = new SqliteWrites(into, keys, touched);
  const { decode, tick } = options;
  const applyBatch = into.transaction((blocks: Blocks) => {
    for (const block of blocks) writer.appendJournal(block);
    const rows = blocks.flat();
    let taken = 0;
    const write = (writes: Writes): void => {
      taken += writes.journal.length;
      writer.write({ ...writes, journal: [], intakeCounts: new Map() });
    };
    // The batch's rows are in the journal already: the keeper starts before them.
    const journalHead = (rows[0]?.seq ?? 1) - 1;
    const keeper = new Bookkeeper({ source: records, journalHead, write, decode });
    for (const row of rows) {
      takeAgain(keeper, readFact(row, decode), row);
      if (keeper.nextSeq !== row.seq + 1) {
        throw new ReplayDiverged(
          `journal position ${row.seq} (${row.kind}) had an effect when it was taken and has none now`,
        );
      }
    }
    keeper.flush();
    if (taken !== rows.length) throw new ReplayDiverged(`lost ${rows.length - taken} facts`);
  });
  for (const batch of batchesOf(new JournalReader(from).blocks())) {
    applyBatch.immediate(batch);
    writer.committed();
    tick(batch.reduce((sum, block) => sum + block.length, 0));
  }
}
