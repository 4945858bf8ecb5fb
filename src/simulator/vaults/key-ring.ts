import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import type { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Table } from '../state/table.ts';
import type { AddressRules } from '../world/network-config.ts';
import { networkAddressAt, publicKeyAt } from './network-address.ts';
import type { VaultKey } from './network-address.ts';

/** A vault's stored key, in hex or as an extended public key. */
type KeyRecord = { kind: 'seed'; seed: string } | { kind: 'public'; xpub: string };

/**
 * The keys of every vault: the seed of platform-signed vaults, the public key of external signers.
 */
export class KeyRing {
  readonly #keys: Table<KeyRecord>;
  readonly #random: Random;

  constructor(state: State, random: Random) {
    this.#keys = state.table<KeyRecord>('vaultKeys');
    this.#random = random;
  }

  /** Makes the key of a platform-signed vault. */
  createPlatformKey(vaultId: string): void {
    this.#keys.put(vaultId, { kind: 'seed', seed: this.#random.hex(32) });
  }

  /** Makes a key for an external signer. Returns the private half and does not store it. */
  createExternalKey(vaultId: string): { xprv: string } {
    const root = HDKey.fromMasterSeed(this.#random.block());
    this.#keys.put(vaultId, { kind: 'public', xpub: root.publicExtendedKey });
    return { xprv: root.privateExtendedKey };
  }

  networkAddress(vaultId: string, rules: AddressRules, path: string): string {
    return networkAddressAt(rules, this.#key(vaultId), path);
  }

  /** The compressed secp256k1 key of the vault at `path`. */
  publicKey(vaultId: string, path: string): Uint8Array {
    return publicKeyAt(this.#key(vaultId), path);
  }

  #key(vaultId: string): VaultKey {
    const record = this.#keys.get(vaultId);
    if (record === undefined) throw new Error(`vault ${vaultId} has no key`);
    return record.kind === 'seed' ? { kind: 'seed', seed: hex.decode(record.seed) } : record;
  }
}
