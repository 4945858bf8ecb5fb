import { expect, test } from 'vitest';
import {
  ignoresCase,
  networkAddressOf,
  spellingOf,
} from '../../../src/domain/chain/network-address.ts';

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SUI = '0xA1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90';
const BITCOIN = 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4';

test.for([EVM, SUI, BITCOIN])('%s is the same address in small letters', (networkAddress) => {
  const small = networkAddress.toLowerCase();
  expect([ignoresCase(networkAddress), ignoresCase(small)]).toEqual([true, true]);
  expect([spellingOf(networkAddress), spellingOf(small)]).toEqual([small, small]);
});

test.for([
  ['Bitcoin, before bech32', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['Bitcoin, before bech32, too', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
  ['Tron', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
  ['Neo', 'NUVPACMnKFhpuHjsRjhUvXz1XhqfGZYVtY'],
  ['the XRP Ledger', 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH'],
  ['Stellar', 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI'],
  ['bech32 of both cases, which is none', 'bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'],
  ['hexadecimal with another letter', '0xabcG'],
  ['hexadecimal after another letter', 'T0xABC'],
  ['bech32 after another character', `!${BITCOIN}`],
  ['bech32 before another character', `${BITCOIN}!`],
] as const)('letters of an address of %s keep their case', ([_, networkAddress]) => {
  expect(ignoresCase(networkAddress)).toBe(false);
  expect(spellingOf(networkAddress)).toBe(networkAddress);
});

test.for([
  [EVM, EVM],
  ['a'.repeat(200), 'a'.repeat(200)],
  ['a'.repeat(201), null],
  ['', null],
  ['two words', null],
  ['nul\0', null],
  ['ä', null],
  [null, null],
] as const)('of %j, the on-chain address is %j', ([text, networkAddress]) => {
  expect(networkAddressOf(text)).toBe(networkAddress);
});
