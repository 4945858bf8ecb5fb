import { createHash } from 'node:crypto';
import type { JournalRow } from './records.ts';

/** What the first seal names as its predecessor. */
export const GENESIS_HASH: Uint8Array = new Uint8Array(32);

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const ABSENT = Buffer.from([0]);
const PRESENT = Buffer.from([1]);

function prefixed(bytes: Buffer): Buffer {
  return Buffer.concat([uint64(bytes.length), bytes]);
}

/** Everything of a fact that is hashed before its body. */
function headOf({ seq, recordedAt, kind, detail, body }: JournalRow): Buffer {
  return Buffer.concat([
    uint64(seq),
    uint64(recordedAt),
    prefixed(Buffer.from(kind)),
    // No detail and an empty one are two things.
    detail === null ? ABSENT : Buffer.concat([PRESENT, prefixed(Buffer.from(detail))]),
    uint64(body.length),
  ]);
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
  const hash = createHash('sha256');
  hash.update(previousHash);
  for (const value of [first.seq, last.seq, sealedAt]) hash.update(uint64(value));
  for (const row of rows) hash.update(headOf(row)).update(row.body);
  return hash.digest();
}
