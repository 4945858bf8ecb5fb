import type { Database } from 'better-sqlite3';
import { blocksOf, packedBodies, type BlockFacts } from '../../codec/body-block.ts';
import type { JournalRow } from '../../records.ts';
import { insertInto } from '../table/statement.ts';

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

  #appendBlock(rows: BlockFacts): void {
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
