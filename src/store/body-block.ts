import { deflateSync } from 'node:zlib';

/**
 * Facts whose bodies are packed together. What notifications have in common then takes little room;
 * reading one unpacks them all, so there are not many.
 */
export const BLOCK_FACTS_MAX = 16;
export const BLOCK_BYTES_MAX = 32 * 1024;

/** Of zlib's levels the one beyond which bodies like ours hardly grow smaller. */
const LEVEL = 3;

/** Packing takes some 18 ms a megabyte: what is as large as this is kept as it is. */
const LARGE_BYTES = 256 * 1024;

/** Bodies one after the other, as zlib packs them (`bodies` in schema.sql). */
export interface BodyBlock {
  readonly content: Uint8Array<ArrayBuffer>;
  /** How many they are unpacked. */
  readonly bytes: number;
}

/** A body that is packed already: its block, and where in there it starts. */
export interface PackedBody {
  readonly block: BodyBlock;
  readonly start: number;
}

/**
 * Packs bodies. Never to as many bytes as they are: `sqlar_uncompress` would take those for the
 * bodies themselves.
 */
export function packedBlock(bodies: Uint8Array): BodyBlock {
  const level = bodies.length < LARGE_BYTES ? LEVEL : 0;
  const small = deflateSync(bodies, { level });
  const packed = small.length === bodies.length ? deflateSync(bodies, { level: 0 }) : small;
  // A copy without the room that zlib leaves behind it.
  return { content: new Uint8Array(packed), bytes: bodies.length };
}
