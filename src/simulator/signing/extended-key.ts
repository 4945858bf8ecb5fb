import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';

/**
 * Signs every payload (hex, 32 bytes) with the key at its path below an extended private key, as the
 * client's own signer does. Undefined when `xprv` is no extended private key. Throws for a path
 * without a key.
 */
export function signaturesBy(
  xprv: string,
  payloads: readonly { payload: string; hdpath: string }[],
): { payload: string; signature: string; publicKey: string }[] | undefined {
  let root: HDKey;
  try {
    root = HDKey.fromExtendedKey(xprv.trim());
  } catch {
    return undefined;
  }
  if (root.privateKey === null) return undefined;
  return payloads.map(({ payload, hdpath }) => {
    const { privateKey, publicKey } = root.derive(hdpath);
    if (privateKey === null || publicKey === null) throw new Error(`no key at ${hdpath}`);
    const signature = secp256k1.sign(hex.decode(payload), privateKey, { prehash: false });
    return { payload, signature: hex.encode(signature), publicKey: hex.encode(publicKey) };
  });
}
