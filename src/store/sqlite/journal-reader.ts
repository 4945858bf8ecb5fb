import type { Database } from 'better-sqlite3';
import { inflateSync } from 'node:zlib';
import type { JournalRow } from '../records.ts';
import type { BodiesTableRow, JournalTableRow } from './tables.ts';

/** A block of bodies as it was before it was packed; what is damaged is empty. */
interface Block {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
}

const NO_BYTES = new Uint8Array();

/** Nothing is thrown: a body that is not what was sealed breaks the hash chain, which says where. */
function unpacked({ bytes, content }: BodiesTableRow): Uint8Array {
  try {
    return inflateSync(content, { maxOutputLength: Math.max(bytes, 1) });
  } catch {
    return NO_BYTES;
  }
}

/** Stores of schema 3 and before keep each body in the row of its fact. */
function keepsBodiesInRows(db: Database): boolean {
  const columns = db.pragma('table_info(journal)') as { name: string }[];
  return columns.some(({ name }) => name === 'body');
}

/** Reads facts of the journal with their bodies, byte by byte as they were received. */
export class JournalReader {
  readonly #between;
  readonly #all;
  readonly #fact;
  readonly #block;
  readonly #ownBody;
  #latest: Block | undefined;

  constructor(db: Database) {
    const inRows = keepsBodiesInRows(db);
    const place = inRows ? '0 AS body_start, length(body) AS body_bytes' : 'body_start, body_bytes';
    const facts = `SELECT seq, kind, recorded_at, detail, ${place} FROM journal`;
    this.#between = db.prepare<[number, number], JournalTableRow>(
      `${facts} WHERE seq BETWEEN ? AND ? ORDER BY seq`,
    );
    this.#all = db.prepare<[], JournalTableRow>(`${facts} ORDER BY seq`);
    this.#fact = db.prepare<[number], JournalTableRow>(`${facts} WHERE seq = ?`);
    this.#block = inRows
      ? undefined
      : db.prepare<[number], BodiesTableRow>(
          'SELECT * FROM bodies WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1',
        );
    this.#ownBody = inRows
      ? db.prepare<[number], Uint8Array>('SELECT body FROM journal WHERE seq = ?').pluck()
      : undefined;
  }

  /** Facts from one place to another, both inclusive. */
  between(firstSeq: number, lastSeq: number): JournalRow[] {
    return this.#between.all(firstSeq, lastSeq).map((row) => this.#rowOf(row));
  }

  *all(): Generator<JournalRow> {
    for (const row of this.#all.iterate()) yield this.#rowOf(row);
  }

  at(seq: number): JournalRow | undefined {
    const row = this.#fact.get(seq);
    return row && this.#rowOf(row);
  }

  #rowOf(row: JournalTableRow): JournalRow {
    return {
      seq: row.seq,
      kind: row.kind as JournalRow['kind'],
      recordedAt: row.recorded_at,
      detail: row.detail,
      body: this.#bodyOf(row),
    };
  }

  #bodyOf({ seq, body_start: start, body_bytes: length }: JournalTableRow): Uint8Array {
    if (this.#ownBody !== undefined) return this.#ownBody.get(seq) ?? NO_BYTES;
    return this.#blockAt(seq).bytes.subarray(start, start + length);
  }

  #blockAt(seq: number): Block {
    const latest = this.#latest;
    if (latest !== undefined && latest.firstSeq <= seq && seq <= latest.lastSeq) return latest;
    const row = this.#block?.get(seq);
    if (row === undefined || row.last_seq < seq) {
      return { firstSeq: seq, lastSeq: seq, bytes: NO_BYTES };
    }
    const block = { firstSeq: row.first_seq, lastSeq: row.last_seq, bytes: unpacked(row) };
    this.#latest = block;
    return block;
  }
}
