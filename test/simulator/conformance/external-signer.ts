import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { z } from 'zod';
import type { Json } from '../call.ts';

const payloads = z.array(z.object({ payload: z.string(), hdpath: z.string() }));

/** Signs every payload that a transaction at `to-sign` shows, as the client's own signer does. */
export function signaturesOf(xprv: string | undefined, transaction: Json): Json[] {
  const root = HDKey.fromExtendedKey(xprv ?? '');
  return payloads.parse(transaction['signingPayloads']).map(({ payload, hdpath }) => {
    const { privateKey, publicKey } = root.derive(hdpath);
    if (privateKey === null || publicKey === null) throw new Error(`no key at ${hdpath}`);
    const signature = secp256k1.sign(Buffer.from(payload, 'hex'), privateKey, { prehash: false });
    return {
      payload,
      signature: Buffer.from(signature).toString('hex'),
      publicKey: Buffer.from(publicKey).toString('hex'),
    };
  });
}
