import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import type { VaultRequest } from '../../../src/simulator/world/vault.ts';
import { Scene } from '../world/scene.ts';

/** A scene with one vault of an external signer, and that signer. */
export function signer(request: Partial<VaultRequest> = {}) {
  const scene = new Scene();
  const creation = scene.world.createVault({
    name: 'cold',
    externalSigner: true,
    ...request,
  });
  if (creation.kind === 'refused') throw new Error(creation.message);
  const root = HDKey.fromExtendedKey(creation.externalSigner?.xprv ?? '');
  const sign = (
    { payload, hdpath }: { payload: string; hdpath: string },
    format: 'compact' | 'der' = 'compact',
  ) => {
    const key = root.derive(hdpath);
    if (key.privateKey === null || key.publicKey === null) throw new Error(hdpath);
    const signature = secp256k1.sign(hex.decode(payload), key.privateKey, {
      prehash: false,
      format,
    });
    return { payload, signature: hex.encode(signature), publicKey: hex.encode(key.publicKey) };
  };
  const privateKey = (hdpath: string): Uint8Array =>
    root.derive(hdpath).privateKey ?? new Uint8Array();
  return { scene, vault: creation.record, sign, privateKey };
}
