import { p256 } from '@noble/curves/nist.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { parsePath } from './hd-path.ts';

/** Curves of SLIP-0010 that BIP-0032 does not cover. */
export type Slip10Curve = 'ed25519' | 'nist256p1';

interface Node {
  key: Uint8Array;
  chainCode: Uint8Array;
}

const CURVE_SEEDS: Record<Slip10Curve, string> = {
  ed25519: 'ed25519 seed',
  nist256p1: 'Nist256p1 seed',
};

const P256_ORDER = p256.Point.Fn.ORDER;

/**
 * Derives the private key at `path` (SLIP-0010). ed25519 has only hardened children, so each of its
 * levels is hardened, with or without the mark.
 */
export function deriveSlip10(curve: Slip10Curve, seed: Uint8Array, path: string): Uint8Array {
  let node = masterNode(curve, seed);
  for (const level of parsePath(path)) {
    const hardened = level.hardened || curve === 'ed25519';
    node = childNode(curve, node, hardened ? level.index + 0x80000000 : level.index);
  }
  return node.key;
}

function masterNode(curve: Slip10Curve, seed: Uint8Array): Node {
  let data = seed;
  for (;;) {
    const output = hmac(sha512, new TextEncoder().encode(CURVE_SEEDS[curve]), data);
    const key = output.slice(0, 32);
    if (curve === 'ed25519' || isP256Key(key)) return { key, chainCode: output.slice(32) };
    data = output;
  }
}

function childNode(curve: Slip10Curve, parent: Node, index: number): Node {
  const indexBytes = new Uint8Array(4);
  new DataView(indexBytes.buffer).setUint32(0, index);
  const head =
    index >= 0x80000000 ? Uint8Array.of(0, ...parent.key) : p256.getPublicKey(parent.key, true);
  let data = Uint8Array.of(...head, ...indexBytes);
  for (;;) {
    const output = hmac(sha512, parent.chainCode, data);
    const chainCode = output.slice(32);
    if (curve === 'ed25519') return { key: output.slice(0, 32), chainCode };
    const tweak = toInteger(output.slice(0, 32));
    const child = (tweak + toInteger(parent.key)) % P256_ORDER;
    if (tweak < P256_ORDER && child !== 0n) return { key: toBytes(child), chainCode };
    data = Uint8Array.of(1, ...chainCode, ...indexBytes);
  }
}

function isP256Key(key: Uint8Array): boolean {
  const value = toInteger(key);
  return value > 0n && value < P256_ORDER;
}

function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function toBytes(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}
