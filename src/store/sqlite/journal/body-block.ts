import { deflateSync } from 'node:zlib';

/**
 * Most facts, and most bytes, whose bodies are compressed together. Notifications share most of
 * their text, so a block compresses well. Reading one body inflates the block, so it is small.
 */
export const BLOCK_FACTS_MAX = 16;
export const BLOCK_BYTES_MAX = 32 * 1024;

/** The zlib level: higher ones hardly make notifications smaller. */
const LEVEL = 3;

/** Compressing takes about 18 ms per MiB, so bodies of this size are stored uncompressed. */
const LARGE_BYTES = 256 * 1024;

/**
 * Compresses concatenated bodies with zlib (`bodies` in schema.sql). The result never has the
 * length of the input, because `sqlar_uncompress` takes content of that length as uncompressed.
 */
export function packedBodies(bodies: Uint8Array): Uint8Array {
  const level = bodies.length < LARGE_BYTES ? LEVEL : 0;
  const packed = deflateSync(bodies, { level });
  return packed.length === bodies.length ? deflateSync(bodies, { level: 0 }) : packed;
}
