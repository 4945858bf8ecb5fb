import { expect, test } from 'vitest';
import { readable } from '../../../../src/console/parts/fact/raw-body.tsx';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test.for([
  ['plain text with breaks\n\tand tabs', 'plain text with breaks\n\tand tabs'],
  // Reordering and invisible characters show their code.
  ['a\u202Eb\u200Bc\u0000', 'a\\u{202e}b\\u{200b}c\\u{0}'],
  ['\uFEFF{}', '\\u{feff}{}'],
  ['', ''],
  ['Zürich 😀', 'Zürich 😀'],
] as const)('%j is read as %j', ([text, shown]) => {
  expect(readable(bytesOf(text))).toBe(shown);
});

test('bytes that are no text are hexadecimal digits', () => {
  expect(readable(Uint8Array.from([0xff, 0x00, 0x41]))).toBe('000000  ff 00 41');
  const long = readable(Uint8Array.from({ length: 5_000 }, () => 0xff)).split('\n');
  expect(long).toHaveLength(128);
  expect(long[1]?.slice(0, 13)).toBe('000010  ff ff');
});

test('a long text is cut between characters', () => {
  const text = `${'a'.repeat(64 * 1024 - 1)}😀 and more`;
  expect(readable(bytesOf(text))).toBe('a'.repeat(64 * 1024 - 1));
});
