import type { Database } from 'better-sqlite3';
import type { JournalRow } from '../../records.ts';
import { insertInto } from '../table/statement.ts';
import { BLOCK_BYTES_MAX, BLOCK_FACTS_MAX, packedBodies } from './body-block.ts';

type Rows = readonly [JournalRow, ...JournalRow[]];

/** Groups facts, in order, by the block that will hold their bodies. */
function* blocksOf(rows: readonly JournalRow[]): Generator<Rows> {
  let block: [JournalRow, ...JournalRow[]] | undefined;
  let bytes = 0;
  for (const row of rows) {
    bytes += row.body.length;
    if (block !== undefined && block.length < BLOCK_FACTS_MAX && bytes <= BLOCK_BYTES_MAX) {
      block.push(row);
      continue;
    }
    if (block !== undefined) yield block;
    block = [row];
    bytes = row.body.length;
  }
  if (block !== undefined) yield block;
}

/** Appends facts to the journal: one row for each, and their bodies in blocks. */
export class JournalWriter {
  readonly #fact;
  readonly #block;

  constructor(db: Database) {
    this.#fact = insertInto(db, 'journal');
    this.#block = insertInto(db, 'bodies');
  }

  append(rows: readonly JournalRow[]): void {
    for (const block of blocksOf(rows)) this.#appendBlock(block);
  }

  #appendBlock(rows: Rows): void {
    let end = 0;
    for (const { seq, kind, recordedAt, detail, body } of rows) {
      const span = { body_start: end, body_bytes: body.length };
      this.#fact.run({ seq, kind, recorded_at: recordedAt, detail, ...span });
      end += body.length;
    }
    const bodies = rows.map(({ body }) => body);
    const [{ seq: firstSeq }] = rows;
    this.#block.run({
      first_seq: firstSeq,
      last_seq: firstSeq + rows.length - 1,
      bytes: end,
      content: packedBodies(Buffer.concat(bodies, end)),
    });
  }
}
