import type { Database } from 'better-sqlite3';
import { deflateSync } from 'node:zlib';
import type { JournalRow } from '../records.ts';

/**
 * Facts whose bodies are packed together. What notifications have in common then takes little room;
 * reading one unpacks them all, so there are not many.
 */
const BLOCK_FACTS_MAX = 16;
const BLOCK_BYTES_MAX = 32 * 1024;

/** Of zlib's levels the one beyond which bodies like ours hardly grow smaller. */
const LEVEL = 3;

/** Packed bytes. Never as many as unpacked: `sqlar_uncompress` would take them for the bodies themselves. */
function packed(content: Uint8Array): Uint8Array {
  const small = deflateSync(content, { level: LEVEL });
  return small.length === content.length ? deflateSync(content, { level: 0 }) : small;
}

function* blocksOf(rows: readonly JournalRow[]): Generator<readonly JournalRow[]> {
  let from = 0;
  let bytes = 0;
  for (const [index, { body }] of rows.entries()) {
    const count = index - from;
    if (count > 0 && (count >= BLOCK_FACTS_MAX || bytes + body.length > BLOCK_BYTES_MAX)) {
      yield rows.slice(from, index);
      from = index;
      bytes = 0;
    }
    bytes += body.length;
  }
  if (from < rows.length) yield rows.slice(from);
}

/** Appends facts to the journal: a row each, and their bodies in blocks. */
export class JournalWriter {
  readonly #fact;
  readonly #block;

  constructor(db: Database) {
    this.#fact = db.prepare<[number, string, number, string | null, number, number]>(
      `INSERT INTO journal (seq, kind, recorded_at, detail, body_start, body_bytes)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#block = db.prepare<[number, number, number, Uint8Array]>(
      'INSERT INTO bodies (first_seq, last_seq, bytes, content) VALUES (?, ?, ?, ?)',
    );
  }

  append(rows: readonly JournalRow[]): void {
    for (const block of blocksOf(rows)) this.#append(block);
  }

  #append(block: readonly JournalRow[]): void {
    let bytes = 0;
    for (const { seq, kind, recordedAt, detail, body } of block) {
      this.#fact.run(seq, kind, recordedAt, detail, bytes, body.length);
      bytes += body.length;
    }
    const [first] = block;
    const last = block.at(-1);
    if (first === undefined || last === undefined) return;
    const content = Buffer.concat(
      block.map(({ body }) => body),
      bytes,
    );
    this.#block.run(first.seq, last.seq, bytes, packed(content));
  }
}
