import { sha256 } from '@noble/hashes/sha2.js';
import { base32, base58xrp, createBase58check } from '@scure/base';
import { Address } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';
import type { AddressRules } from '../world/network-config.ts';
import { base58Network, stellarChecksum } from './network-address.ts';

const base58check = createBase58check(sha256);
/** Characters of a base58 alphabet, with room for the longest address; longer is slow to decode. */
const BASE58_LENGTH_MAX = 64;
const HASH_BYTES = 20;

/** Whether the text is an address of such a network, its checksum included where it has one. */
export function isNetworkAddress(rules: AddressRules, text: string): boolean {
  try {
    return hasFormat(rules, text);
  } catch {
    // The decoders tell by throwing that a text is no address.
    return false;
  }
}

function hasFormat(rules: AddressRules, text: string): boolean {
  switch (rules.format) {
    case 'p2wpkh':
      // Also addresses of scripts and of older and newer kinds: outsiders are paid at any of them.
      return Address(base58Network(rules)).decode(text) !== undefined;
    case 'evm':
      return text.startsWith('0x') && addr.isValid(text);
    case 'tron':
      return isVersioned(base58check.decode(short(text)), 0x41);
    case 'neo':
      return isVersioned(base58check.decode(short(text)), 0x35);
    case 'ripple':
      return isRippleAccount(base58xrp.decode(short(text)));
    case 'stellar':
      return isStellarAccount(base32.decode(short(text)));
    case 'sui':
      return /^0x[0-9a-fA-F]{64}$/.test(text);
    default:
      return rules.format satisfies never;
  }
}

function short(text: string): string {
  if (text.length > BASE58_LENGTH_MAX) throw new RangeError('no address is as long as this');
  return text;
}

/** A version byte and the hash of a key or script. */
function isVersioned(payload: Uint8Array, version: number): boolean {
  return payload.length === 1 + HASH_BYTES && payload[0] === version;
}

/** A classic address: type prefix 0, the account id, four bytes of checksum. */
function isRippleAccount(bytes: Uint8Array): boolean {
  const payload = bytes.slice(0, -4);
  const checksum = sha256(sha256(payload)).slice(0, 4);
  return isVersioned(payload, 0) && Buffer.from(checksum).equals(bytes.slice(-4));
}

/** SEP-0023: an ed25519 public key (`G…`) with its checksum. */
function isStellarAccount(bytes: Uint8Array): boolean {
  const payload = bytes.slice(0, -2);
  const isKey = payload.length === 33 && payload[0] === 6 << 3;
  return isKey && Buffer.from(stellarChecksum(payload)).equals(bytes.slice(-2));
}
