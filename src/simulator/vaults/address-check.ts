import { sha256 } from '@noble/hashes/sha2.js';
import { base32, base58xrp, createBase58check } from '@scure/base';
import { Address } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';
import type { AddressRules } from '../world/network-config.ts';
import { base58Network, stellarChecksum } from './network-address.ts';

const base58check = createBase58check(sha256);
/**
 * Longest base58 text that is decoded. The longest address is shorter, and decoding a longer text
 * is slow.
 */
const BASE58_LENGTH_MAX = 64;
const HASH_BYTES = 20;

/** Whether the text is an address of the network. Checks the checksum if the format has one. */
export function isNetworkAddress(rules: AddressRules, text: string): boolean {
  try {
    return hasFormat(rules, text);
  } catch {
    // The decoders throw for a text that is no address.
    return false;
  }
}

function hasFormat(rules: AddressRules, text: string): boolean {
  switch (rules.format) {
    case 'p2wpkh':
      // Accepts every address type: outsiders can be paid at script addresses and older types too.
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

/** Whether the payload is a version byte and the hash of a key or script. */
function isVersioned(payload: Uint8Array, version: number): boolean {
  return payload.length === 1 + HASH_BYTES && payload[0] === version;
}

/**
 * Whether the bytes are a classic address: type prefix 0, the account id and four bytes of
 * checksum.
 */
function isRippleAccount(bytes: Uint8Array): boolean {
  const payload = bytes.slice(0, -4);
  const checksum = sha256(sha256(payload)).slice(0, 4);
  return isVersioned(payload, 0) && Buffer.from(checksum).equals(bytes.slice(-4));
}

/** Whether the bytes are an ed25519 public key (`G…`) with its checksum (SEP-0023). */
function isStellarAccount(bytes: Uint8Array): boolean {
  const payload = bytes.slice(0, -2);
  const isKey = payload.length === 33 && payload[0] === 6 << 3;
  return isKey && Buffer.from(stellarChecksum(payload)).equals(bytes.slice(-2));
}
