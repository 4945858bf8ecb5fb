import type { Call } from './connection/session.ts';

/** More than what an append usually needs, so that a row which just fits proves nothing. */
const BYTES = 262_144;

/**
 * Writes as an append does, and takes it back. It fails while the server has no space. The bytes are
 * stored uncompressed, so the table must grow.
 */
export const TRY_SPACE: readonly [Call, Call, Call] = [
  { statement: { text: 'BEGIN' } },
  {
    statement: {
      text: `INSERT INTO bodies (first_seq, last_seq, bytes, content)
        VALUES ($1::bigint, $1::bigint, 0, decode(repeat('00', $2::int), 'hex'))`,
    },
    values: ['9223372036854775807', BYTES],
  },
  { statement: { text: 'ROLLBACK' } },
];
