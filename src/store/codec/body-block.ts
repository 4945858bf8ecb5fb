import { deflateSync, inflateSync } from 'node:zlib';
import type { JournalRow } from '../records.ts';

/**
 * Most facts, and most bytes, whose bodies are compressed together. Notifications share most of
 * their text, so a block compresses well. Reading one body inflates the block, so it is small.
 */
const BLOCK_FACTS_MAX = 16;
const BLOCK_BYTES_MAX = 32 * 1024;

/** The zlib level: higher ones hardly make notifications smaller. */
const LEVEL = 3;

/** Compressing takes about 18 ms per MiB, so bodies of this size are stored uncompressed. */
const LARGE_BYTES = 256 * 1024;

const NO_BYTES = new Uint8Array();

/** The facts of a block; at least one. */
export type BlockFacts = readonly [JournalRow, ...JournalRow[]];

/** Groups facts, in order, by the block that will hold their bodies. */
export function* blocksOf(rows: readonly JournalRow[]): Generator<BlockFacts> {
  let block: [JournalRow, ...JournalRow[]] | undefined;
  let bytes = 0;
  for (const row of rows) {
    bytes += row.body.length;
    if (block !== undefined && block.length < BLOCK_FACTS_MAX && bytes <= BLOCK_BYTES_MAX) {
      block.push(row);
      continue;
    }
    if (block !== undefined) yield block;
    block = [row];
    bytes = row.body.length;
  }
  if (block !== undefined) yield block;
}

/**
 * Compresses concatenated bodies with zlib (`bodies` in schema.sql). The result never has the
 * length of the input, because `sqlar_uncompress` takes content of that length as uncompressed.
 */
export function packedBodies(bodies: Uint8Array): Uint8Array {
  const level = bodies.length < LARGE_BYTES ? LEVEL : 0;
  const packed = deflateSync(bodies, { level });
  return packed.length === bodies.length ? deflateSync(bodies, { level: 0 }) : packed;
}

/**
 * Inflates a block of `bytes` bytes. A damaged block gives no bytes instead of an error, because
 * the hash chain reports the damage with its position.
 */
export function unpackedBodies(block: {
  readonly bytes: number;
  readonly content: Uint8Array;
}): Uint8Array {
  const { bytes, content } = block;
  try {
    const unpacked = inflateSync(content, { maxOutputLength: Math.max(bytes, 1) });
    return unpacked.length === bytes ? unpacked : NO_BYTES;
  } catch {
    return NO_BYTES;
  }
}

/** The bytes of one body in its inflated block; empty when its span is outside the block. */
export function bodyIn(
  block: Uint8Array,
  span: { readonly start: number; readonly length: number },
): Uint8Array {
  const { start, length } = span;
  const isThere = start >= 0 && length >= 0 && start + length <= block.length;
  return isThere ? block.subarray(start, start + length) : NO_BYTES;
}
