import { hash } from 'node:crypto';

/** 96 bits: two of a billion ids collide with a chance of one in 10^11. */
const HEX_DIGITS = 24;

/** The digest that ids are made of: the first 24 hex digits of SHA-256. */
export function idDigest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, HEX_DIGITS);
}
