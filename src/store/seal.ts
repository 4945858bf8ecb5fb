import { createHash } from 'node:crypto';
import type { JournalRow } from './records.ts';

/** The predecessor's hash in the first seal: 32 zero bytes. */
export const GENESIS_HASH: Uint8Array = new Uint8Array(32);

const INTEGER_BYTES = 8;
const PRESENCE_BYTES = 1;
/** The weight of the upper 32 bits of an integer. */
const WORD = 2 ** 32;

/** Size of the pieces in which facts are hashed: a commit of large bodies is not copied whole. */
const PIECE_BYTES_MAX = 1024 * 1024;

/** A buffer of known length, filled from the front. */
class Bytes {
  readonly #buffer: Buffer;
  #end = 0;

  constructor(length: number) {
    this.#buffer = Buffer.allocUnsafe(length);
  }

  /** Appends a safe integer in two's complement, without allocating a bigint for it. */
  integer(value: number): void {
    this.#end = this.#buffer.writeUInt32BE(Math.floor(value / WORD) >>> 0, this.#end);
    this.#end = this.#buffer.writeUInt32BE(value >>> 0, this.#end);
  }

  prefixed(bytes: Uint8Array): void {
    this.integer(bytes.length);
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  present(isPresent: boolean): void {
    this.#end = this.#buffer.writeUInt8(isPresent ? 1 : 0, this.#end);
  }

  all(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }
}

/** An upper bound of the bytes that a fact is hashed as. */
function bytesMaxOf({ kind, detail, body }: JournalRow): number {
  const texts = Buffer.byteLength(kind) + (detail === null ? 0 : Buffer.byteLength(detail));
  return 5 * INTEGER_BYTES + PRESENCE_BYTES + texts + body.length;
}

function append(bytes: Bytes, { seq, recordedAt, kind, detail, body }: JournalRow): void {
  bytes.integer(seq);
  bytes.integer(recordedAt);
  bytes.prefixed(Buffer.from(kind));
  // The flag distinguishes a missing detail from an empty one.
  bytes.present(detail !== null);
  if (detail !== null) bytes.prefixed(Buffer.from(detail));
  bytes.prefixed(body);
}

/** The bytes that facts are hashed as. One call for many facts is cheaper than a call per part. */
function* piecesOf(rows: readonly JournalRow[]): Generator<Uint8Array> {
  let from = 0;
  let length = 0;
  for (const [index, row] of rows.entries()) {
    const more = bytesMaxOf(row);
    if (index > from && length + more > PIECE_BYTES_MAX) {
      yield pieceOf(rows.slice(from, index), length);
      from = index;
      length = 0;
    }
    length += more;
  }
  yield pieceOf(rows.slice(from), length);
}

function pieceOf(rows: readonly JournalRow[], lengthMax: number): Uint8Array {
  const bytes = new Bytes(lengthMax);
  for (const row of rows) append(bytes, row);
  return bytes.all();
}

/**
 * The seal of a commit: SHA-256 over the previous hash, the commit's range and time (Unix
 * milliseconds), and every fact's seq, time, kind, detail and body. A fact that is changed,
 * dropped, added or moved breaks the chain from that commit on. schema.sql describes the same
 * computation. Throws for a commit without facts.
 */
export function sealHash(
  previousHash: Uint8Array,
  commit: { readonly sealedAt: number; readonly rows: readonly JournalRow[] },
): Uint8Array {
  const { sealedAt, rows } = commit;
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) throw new Error('an empty commit has no seal');
  const hash = createHash('sha256').update(previousHash);
  const range = new Bytes(3 * INTEGER_BYTES);
  for (const value of [first.seq, last.seq, sealedAt]) range.integer(value);
  hash.update(range.all());
  for (const piece of piecesOf(rows)) hash.update(piece);
  return hash.digest();
}
