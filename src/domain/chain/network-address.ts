/**
 * Most characters of an on-chain address: the longest have some 150. Every deposit of a notification
 * copies its address.
 */
const CHARACTERS_MAX = 200;
/** Printable characters without a space. */
const READABLE = /^[!-~]+$/;
/** Hexadecimal, as on EVM networks and on Sui. Capital letters are at most a checksum (EIP-55). */
const HEXADECIMAL = /^0x[0-9a-f]+$/i;
/** Bech32, as on Bitcoin: wholly in small letters, or wholly in capitals (BIP-173). */
const BECH32 = /^(?:[a-z]{1,20}1[02-9ac-hj-np-z]{6,}|[A-Z]{1,20}1[02-9AC-HJ-NP-Z]{6,})$/;

/**
 * Whether letters of an on-chain address mean the same in both cases. Base58, as on Tron and on the
 * XRP Ledger, distinguishes them.
 */
export function ignoresCase(networkAddress: string): boolean {
  return HEXADECIMAL.test(networkAddress) || BECH32.test(networkAddress);
}

/** One text for all spellings of an on-chain address. */
export function spellingOf(networkAddress: string): string {
  return ignoresCase(networkAddress) ? networkAddress.toLowerCase() : networkAddress;
}

/** The text as an on-chain address; null for a text that cannot be one. */
export function networkAddressOf(text: string | null): string | null {
  if (text === null || text.length > CHARACTERS_MAX) return null;
  return READABLE.test(text) ? text : null;
}
