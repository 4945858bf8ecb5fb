import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base32, base58xrp, createBase58check, hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { NETWORK, p2wpkh } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';
import type { AddressRules } from '../world/network-config.ts';
import { deriveSlip10 } from './slip10.ts';

/** The key from which a vault derives its addresses. */
export type VaultKey =
  | { kind: 'seed'; seed: Uint8Array }
  /** The public key of an external signer. The core does not keep the private key. */
  | { kind: 'public'; xpub: string };

/** The HD path of an account's address, by the convention of the network. */
export function defaultPath(
  rules: AddressRules,
  indexes: { accountIndex: number; addressIndex: number },
): string {
  const account = `m/${rules.purpose}'/${rules.coinType}'/${indexes.accountIndex}'`;
  // SEP-0005 has no levels below the account. The hardened address level keeps the addresses of two
  // accounts apart.
  return rules.format === 'stellar'
    ? `${account}/${indexes.addressIndex}'`
    : `${account}/0/${indexes.addressIndex}`;
}

/** Whether addresses of this format belong to secp256k1 keys, the only ones of external signers. */
export function isSecp256k1(format: AddressRules['format']): boolean {
  return format !== 'stellar' && format !== 'neo';
}

/** The network address of `key` at `path`. */
export function networkAddressAt(rules: AddressRules, key: VaultKey, path: string): string {
  switch (rules.format) {
    case 'stellar':
      return stellarAddress(ed25519.getPublicKey(deriveSlip10('ed25519', seedOf(key), path)));
    case 'neo':
      return neoAddress(p256.getPublicKey(deriveSlip10('nist256p1', seedOf(key), path), true));
    case 'p2wpkh':
      return witnessAddress(publicKeyAt(key, path), rules.bech32Prefix ?? 'bc');
    case 'evm':
      return addr.fromPublicKey(publicKeyAt(key, path));
    case 'tron':
      return tronAddress(publicKeyAt(key, path));
    case 'ripple':
      return rippleAddress(publicKeyAt(key, path));
    case 'sui':
      return suiAddress(publicKeyAt(key, path));
    default:
      return rules.format satisfies never;
  }
}

/** The compressed secp256k1 public key at `path`: 33 bytes. Throws for a path without a key. */
export function publicKeyAt(key: VaultKey, path: string): Uint8Array {
  const root =
    key.kind === 'seed' ? HDKey.fromMasterSeed(key.seed) : HDKey.fromExtendedKey(key.xpub);
  const publicKey = root.derive(path).publicKey;
  if (publicKey === null) throw new Error(`no public key at ${path}`);
  return publicKey;
}

function seedOf(key: VaultKey): Uint8Array {
  if (key.kind === 'seed') return key.seed;
  throw new Error('an external signer holds secp256k1 keys only');
}

function witnessAddress(publicKey: Uint8Array, bech32: string): string {
  const address = p2wpkh(publicKey, { ...NETWORK, bech32 }).address;
  if (address === undefined) throw new Error('a witness program without an address');
  return address;
}

/**
 * The address settings of a UTXO network, as the library needs them. Throws when the network's
 * configuration lacks them.
 */
export function base58Network({ bech32Prefix, base58Versions }: AddressRules): typeof NETWORK {
  if (bech32Prefix === undefined || base58Versions === undefined) {
    throw new Error('a UTXO network without the versions of its addresses');
  }
  return { bech32: bech32Prefix, ...base58Versions, wif: NETWORK.wif };
}

const base58check = createBase58check(sha256);

/** Base58check of 0x41 and the 20 bytes of the EVM address of the same key. */
function tronAddress(publicKey: Uint8Array): string {
  const evm = hex.decode(addr.fromPublicKey(publicKey).slice(2).toLowerCase());
  return base58check.encode(Uint8Array.of(0x41, ...evm));
}

/** The account id in Ripple's own base58 alphabet, with type prefix 0. */
function rippleAddress(publicKey: Uint8Array): string {
  const payload = Uint8Array.of(0x00, ...ripemd160(sha256(publicKey)));
  const checksum = sha256(sha256(payload)).slice(0, 4);
  return base58xrp.encode(Uint8Array.of(...payload, ...checksum));
}

/** The strkey of an ed25519 public key (SEP-0023). */
function stellarAddress(publicKey: Uint8Array): string {
  const payload = Uint8Array.of(6 << 3, ...publicKey);
  return base32.encode(Uint8Array.of(...payload, ...stellarChecksum(payload)));
}

/** The two checksum bytes of a strkey. */
export function stellarChecksum(payload: Uint8Array): Uint8Array {
  const checksum = crc16(payload);
  return Uint8Array.of(checksum & 0xff, checksum >> 8);
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    }
    crc &= 0xffff;
  }
  return crc;
}

/**
 * Neo N3: the address is the hash of the single-signature script (PUSHDATA1 key, SYSCALL CheckSig).
 */
export function neoAddress(publicKey: Uint8Array): string {
  const script = Uint8Array.of(0x0c, 0x21, ...publicKey, 0x41, 0x56, 0xe7, 0xb3, 0x27);
  return base58check.encode(Uint8Array.of(0x35, ...ripemd160(sha256(script))));
}

/** The address is the BLAKE2b-256 hash of the scheme's flag (0x01: secp256k1) and the key. */
function suiAddress(publicKey: Uint8Array): string {
  const digest = blake2b(Uint8Array.of(0x01, ...publicKey), { dkLen: 32 });
  return `0x${Buffer.from(digest).toString('hex')}`;
}
