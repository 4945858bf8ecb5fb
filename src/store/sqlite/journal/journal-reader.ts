import type { Database } from 'better-sqlite3';
import type { KeptBody } from '../../answers.ts';
import { bodyIn, unpackedBodies } from '../../codec/body-block.ts';
import type { JournalRow } from '../../records.ts';
import type { BodiesTableRow, JournalTableRow } from '../table/journal-tables.ts';

/** An inflated block of bodies; `bytes` is empty when the block is damaged. */
interface Block {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
}

const NO_BYTES = new Uint8Array();

/** Most facts in one group of `blocks`, for damaged stores whose blocks or seals are missing. */
const GROUP_FACTS_MAX = 1_024;

/** `next_seq`: first position of the next block; null for the last block. */
type BlockRow = BodiesTableRow & { readonly next_seq: number | null };

/**
 * A block's bodies. A damaged block, and a block that overlaps the next, gives no bytes, so that a
 * fact has the same body in every order of reading.
 */
function unpacked({ bytes, content, last_seq: lastSeq, next_seq: nextSeq }: BlockRow): Uint8Array {
  if (nextSeq !== null && nextSeq <= lastSeq) return NO_BYTES;
  return unpackedBodies({ bytes, content });
}

/** Stores of schema 3 and earlier keep each body in its fact's row. */
function keepsBodiesInRows(db: Database): boolean {
  const columns = db.pragma('table_info(journal)') as { name: string }[];
  return columns.some(({ name }) => name === 'body');
}

/** Reads facts of the journal, each body with the bytes that were received. */
export class JournalReader {
  readonly #between;
  readonly #all;
  readonly #starts;
  readonly #fact;
  readonly #head;
  readonly #recordedAt;
  readonly #block;
  readonly #ownBody;
  #latest: Block | undefined;

  constructor(db: Database) {
    const inRows = keepsBodiesInRows(db);
    const span = inRows ? '0 AS body_start, length(body) AS body_bytes' : 'body_start, body_bytes';
    const facts = `SELECT seq, kind, recorded_at, detail, ${span} FROM journal`;
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
    this.#head = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck();
    this.#recordedAt = db
      .prepare<[number], number>('SELECT recorded_at FROM journal WHERE seq = ?')
      .pluck();
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

  /** Facts from one journal position to another, both inclusive. */
  between(firstSeq: number, lastSeq: number): JournalRow[] {
    return this.#between.all(firstSeq, lastSeq).map((row) => this.#rowOf(row));
  }

  *all(): Generator<JournalRow> {
    for (const row of this.#all.iterate()) yield this.#rowOf(row);
  }

  /**
   * All facts, grouped by block. A store that keeps bodies in rows groups them by commit, so that
   * no block of a rebuilt store holds bodies of two commits.
   */
  *blocks(): Generator<readonly JournalRow[]> {
    // Read along with the facts: a store has millions of blocks.
    const starts = this.#starts.iterate();
    const nextStart = (): number => {
      const next: IteratorResult<number, undefined> = starts.next();
      return next.done === true ? Infinity : next.value;
    };
    try {
      let start = nextStart();
      let block: JournalRow[] = [];
      for (const row of this.all()) {
        const isNext = row.seq >= start;
        if ((isNext || block.length >= GROUP_FACTS_MAX) && block.length > 0) {
          yield block;
          block = [];
        }
        while (row.seq >= start) start = nextStart();
        block.push(row);
      }
      if (block.length > 0) yield block;
    } finally {
      // A database with a running statement cannot be closed.
      starts.return?.();
    }
  }

  /** The fact at a journal position. */
  at(seq: number): JournalRow | undefined {
    const row = this.#fact.get(seq);
    return row && this.#rowOf(row);
  }

  /** Position of the last fact; 0 in an empty journal. */
  head(): number {
    return this.#head.get() ?? 0;
  }

  /** When the fact at a position was recorded, Unix milliseconds. */
  recordedAt(seq: number): number | undefined {
    return this.#recordedAt.get(seq);
  }

  /**
   * Position of the last fact before a moment (Unix milliseconds), at `afterSeq` or later. A binary
   * search, because the journal has no index on time. Facts of one commit may be out of order by
   * seconds, and a clock that was set back puts more of them out of order.
   */
  seqBefore(moment: number, afterSeq = 0): number {
    let [before, after] = [afterSeq, this.head() + 1];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if ((this.recordedAt(middle) ?? moment) < moment) before = middle;
      else after = middle;
    }
    return before;
  }

  /** A copy of one body, which may be transferred to another thread. */
  bodyAt(seq: number): KeptBody | undefined {
    const row = this.#fact.get(seq);
    if (row === undefined) return undefined;
    const bytes = Uint8Array.from(this.#bodyOf(row));
    return { bytes, isWhole: bytes.length === row.body_bytes };
  }

  /** Drops the cached block after a rollback, because the next facts reuse its positions. */
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
    return bodyIn(this.#blockAt(seq).bytes, { start, length });
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
