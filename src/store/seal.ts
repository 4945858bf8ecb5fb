import { createHash } from 'node:crypto';
import type { JournalRow } from './records.ts';

/** What the first seal names as its predecessor. */
export const GENESIS_HASH: Uint8Array = new Uint8Array(32);

const INTEGER_BYTES = 8;
const PRESENCE_BYTES = 1;
/** What the upper half of an integer counts. */
const WORD = 2 ** 32;

/** A commit of large bodies is not copied as a whole: its facts go by pieces, or one by one. */
const PIECE_BYTES_MAX = 1024 * 1024;

/** Bytes written one after the other into a room that was measured before. */
class Bytes {
  readonly #room: Buffer;
  #end = 0;

  constructor(length: number) {
    this.#room = Buffer.allocUnsafe(length);
  }

  /** In two's complement, as far as a double is exact; a bigint for each would be garbage. */
  integer(value: number): void {
    this.#end = this.#room.writeUInt32BE(Math.floor(value / WORD) >>> 0, this.#end);
    this.#end = this.#room.writeUInt32BE(value >>> 0, this.#end);
  }

  prefixed(bytes: Uint8Array): void {
    this.integer(bytes.length);
    this.#room.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  present(isPresent: boolean): void {
    this.#end = this.#room.writeUInt8(isPresent ? 1 : 0, this.#end);
  }

  all(): Buffer {
    return this.#room.subarray(0, this.#end);
  }
}

/** At least as many bytes as a fact is hashed as. */
function roomFor({ kind, detail, body }: JournalRow): number {
  const texts = Buffer.byteLength(kind) + (detail === null ? 0 : Buffer.byteLength(detail));
  return 5 * INTEGER_BYTES + PRESENCE_BYTES + texts + body.length;
}

function put(bytes: Bytes, { seq, recordedAt, kind, detail, body }: JournalRow): void {
  bytes.integer(seq);
  bytes.integer(recordedAt);
  bytes.prefixed(Buffer.from(kind));
  // No detail and an empty one are two things.
  bytes.present(detail !== null);
  if (detail !== null) bytes.prefixed(Buffer.from(detail));
  bytes.prefixed(body);
}

/** The bytes that facts are hashed as: a call for each part of a fact costs more than hashing it. */
function* piecesOf(rows: readonly JournalRow[]): Generator<Uint8Array> {
  let from = 0;
  let room = 0;
  for (const [index, row] of rows.entries()) {
    const more = roomFor(row);
    if (index > from && room + more > PIECE_BYTES_MAX) {
      yield pieceOf(rows.slice(from, index), room);
      from = index;
      room = 0;
    }
    room += more;
  }
  yield pieceOf(rows.slice(from), room);
}

function pieceOf(rows: readonly JournalRow[], room: number): Uint8Array {
  const bytes = new Bytes(room);
  for (const row of rows) put(bytes, row);
  return bytes.all();
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/**
 * SHA-256 over the previous hash, the commit's range and time, and every fact's seq, time, kind,
 * detail and body: nothing can be changed, dropped, added or moved without
 * breaking the chain from there on. The same computation is described in schema.sql.
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
