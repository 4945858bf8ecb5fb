import { createHash } from 'node:crypto';
import type { JournalRow } from './records.ts';

/** What the first seal names as its predecessor. */
export const GENESIS_HASH: Uint8Array = new Uint8Array(32);

const INTEGER_BYTES = 8;
const PRESENCE_BYTES = 1;

/** Bytes written one after the other into a room that was measured before. */
class Bytes {
  readonly #room: Buffer;
  #end = 0;

  constructor(length: number) {
    this.#room = Buffer.allocUnsafe(length);
  }

  integer(value: number): void {
    this.#end = this.#room.writeBigUInt64BE(BigInt(value), this.#end);
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
  let length = 3 * INTEGER_BYTES;
  for (const row of rows) length += roomFor(row);
  // Handed over in one piece: a call for each part costs more than hashing it.
  const bytes = new Bytes(length);
  for (const value of [first.seq, last.seq, sealedAt]) bytes.integer(value);
  for (const row of rows) put(bytes, row);
  return createHash('sha256').update(previousHash).update(bytes.all()).digest();
}
