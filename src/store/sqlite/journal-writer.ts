import type { Database } from 'better-sqlite3';
import { BLOCK_BYTES_MAX, BLOCK_FACTS_MAX, packedBlock, type BodyBlock } from '../body-block.ts';
import type { JournalRow } from '../records.ts';
import { ManyRows } from './statement.ts';

type Rows = readonly [JournalRow, ...JournalRow[]];

/** Whether a fact's body goes with those before it; what is packed already stays as it is. */
function joins(
  row: JournalRow,
  { first, facts, bytes }: { first: JournalRow; facts: number; bytes: number },
): boolean {
  if (first.packed !== undefined) return first.packed.block === row.packed?.block;
  if (row.packed !== undefined) return false;
  return facts < BLOCK_FACTS_MAX && bytes + row.body.length <= BLOCK_BYTES_MAX;
}

/** Facts in their order, as many at once as have their bodies in one block. */
function* blocksOf(rows: readonly JournalRow[]): Generator<Rows> {
  let block: [JournalRow, ...JournalRow[]] | undefined;
  let bytes = 0;
  for (const row of rows) {
    if (block !== undefined && joins(row, { first: block[0], facts: block.length, bytes })) {
      block.push(row);
      bytes += row.body.length;
      continue;
    }
    if (block !== undefined) yield block;
    block = [row];
    bytes = row.body.length;
  }
  if (block !== undefined) yield block;
}

/**
 * The block that came with facts. It may hold bodies that no fact was made of, repeats and refused
 * ones; when those are more than half of it, it is not taken.
 */
function blockThatCame(rows: Rows, bytes: number): BodyBlock | undefined {
  const block = rows[0].packed?.block;
  return block !== undefined && 2 * bytes >= block.bytes ? block : undefined;
}

type FactValues = [
  seq: number,
  kind: string,
  recordedAt: number,
  detail: string | null,
  bodyStart: number,
  bodyBytes: number,
];

/** What is written of some facts and of the block that has their bodies. */
interface Written {
  readonly facts: readonly FactValues[];
  readonly block: [firstSeq: number, lastSeq: number, bytes: number, content: Uint8Array];
}

function writtenOf(rows: Rows): Written {
  const bodies = rows.map(({ body }) => body);
  const length = bodies.reduce((sum, body) => sum + body.length, 0);
  const came = blockThatCame(rows, length);
  let end = 0;
  const facts = rows.map(({ seq, kind, recordedAt, detail, body, packed }): FactValues => {
    const start = came === undefined ? end : (packed?.start ?? end);
    end += body.length;
    return [seq, kind, recordedAt, detail, start, body.length];
  });
  const { content, bytes } = came ?? packedBlock(Buffer.concat(bodies, length));
  const [{ seq: firstSeq }] = rows;
  return { facts, block: [firstSeq, firstSeq + rows.length - 1, bytes, content] };
}

/** Appends facts to the journal: a row each, and their bodies in blocks. */
export class JournalWriter {
  readonly #facts;
  readonly #block;

  constructor(db: Database) {
    this.#facts = new ManyRows<FactValues>(db, {
      into: 'INSERT INTO journal (seq, kind, recorded_at, detail, body_start, body_bytes)',
      columns: 6,
    });
    this.#block = db.prepare<Written['block']>(
      'INSERT INTO bodies (first_seq, last_seq, bytes, content) VALUES (?, ?, ?, ?)',
    );
  }

  append(rows: readonly JournalRow[]): void {
    const written = Array.from(blocksOf(rows), writtenOf);
    this.#facts.insert(written.flatMap(({ facts }) => facts));
    for (const { block } of written) this.#block.run(...block);
  }
}
