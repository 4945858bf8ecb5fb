import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';

const SIGNATURE = /^([0-9a-f]{2}){64,72}$/i;
const COMPRESSED_KEY = /^0[23][0-9a-f]{64}$/i;

/**
 * Whether `signature` (hex, compact or DER, either S) signs the 32-byte digest `payload` (hex) with
 * `publicKey` (hex, compressed). The digest is signed as it is, never hashed again.
 */
export function isSignatureOf(claim: {
  payload: string;
  signature: string;
  publicKey: string;
}): boolean {
  if (!SIGNATURE.test(claim.signature) || !COMPRESSED_KEY.test(claim.publicKey)) return false;
  const format = claim.signature.length === 128 ? 'compact' : 'der';
  try {
    return secp256k1.verify(
      hex.decode(claim.signature.toLowerCase()),
      hex.decode(claim.payload),
      hex.decode(claim.publicKey.toLowerCase()),
      { prehash: false, lowS: false, format },
    );
  } catch {
    // The library throws for malformed points and DER.
    return false;
  }
}
