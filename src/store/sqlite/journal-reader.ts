import type { Database } from 'better-sqlite3';
import { inflateSync } from 'node:zlib';
import type { KeptBody } from '../reads.ts';
import type { JournalRow } from '../records.ts';
import type { BodiesTableRow, JournalTableRow } from './tables.ts';

/** A block of bodies as it was before it was packed; what is damaged is empty. */
interface Block {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
}

const NO_BYTES = new Uint8Array();

/** Facts that are handed over together at most, where a damaged store does not say which belong together. */
const GROUP_FACTS_MAX = 1_024;

/** `next_seq`: where the block behind it begins; null behind the last. */
type BlockRow = BodiesTableRow & { readonly next_seq: number | null };

/**
 * Nothing is thrown: a body that is not what was sealed breaks the hash chain, which says where. A
 * block that is longer than it says, or reaches into the next one, is damaged as a whole: a fact has
 * one body, whoever looks for it and in whatever order.
 */
function unpacked({ bytes, content, last_seq: lastSeq, next_seq: nextSeq }: BlockRow): Uint8Array {
  if (nextSeq !== null && nextSeq <= lastSeq) return NO_BYTES;
  try {
    const unpackedBytes = inflateSync(content, { maxOutputLength: Math.max(bytes, 1) });
    return unpackedBytes.length === bytes ? unpackedBytes : NO_BYTES;
  } catch {
    return NO_BYTES;
  }
}

/** Empty where the row names a place that the block does not have. */
function bodyIn({ bytes }: Block, start: number, length: number): Uint8Array {
  const isThere = start >= 0 && length >= 0 && start + length <= bytes.length;
  return isThere ? bytes.subarray(start, start + length) : NO_BYTES;
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
  readonly #starts;
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
    this.#starts = db
      .prepare<[], number>(
        inRows
          ? 'SELECT first_seq FROM seals ORDER BY commit_number'
          : 'SELECT first_seq FROM bodies ORDER BY first_seq',
      )
      .pluck();
    this.#fact = db.prepare<[number], JournalTableRow>(`${facts} WHERE seq = ?`);
    this.#block = inRows
      ? undefined
      : db.prepare<[number], BlockRow>(
          `SELECT *, (SELECT min(next.first_seq) FROM bodies AS next
             WHERE next.first_seq > block.first_seq) AS next_seq
           FROM bodies AS block WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
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

  /**
   * All facts, those together whose bodies are packed together. Where bodies are in their rows: the
   * facts of a commit, so that a block never holds bodies of two.
   */
  *blocks(): Generator<readonly JournalRow[]> {
    const starts = this.#starts.all();
    let place = 0;
    let block: JournalRow[] = [];
    for (const row of this.all()) {
      const isNext = row.seq >= (starts[place] ?? Infinity);
      if ((isNext || block.length >= GROUP_FACTS_MAX) && block.length > 0) {
        yield block;
        block = [];
      }
      while (row.seq >= (starts[place] ?? Infinity)) place += 1;
      block.push(row);
    }
    if (block.length > 0) yield block;
  }

  at(seq: number): JournalRow | undefined {
    const row = this.#fact.get(seq);
    return row && this.#rowOf(row);
  }

  /** A body of its own, which shares no memory with its block. */
  bodyAt(seq: number): KeptBody | undefined {
    const row = this.#fact.get(seq);
    if (row === undefined) return undefined;
    const bytes = Uint8Array.from(this.#bodyOf(row));
    return { bytes, isWhole: bytes.length === row.body_bytes };
  }

  /** Forgets what a transaction that did not commit may have shown: its places are given anew. */
  forget(): void {
    this.#latest = undefined;
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
    return bodyIn(this.#blockAt(seq), start, length);
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
