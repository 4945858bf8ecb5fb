import { expect, test } from 'vitest';
import { PathTokens } from '../../src/intake/path-token.ts';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);

test('several tokens live at once, so that one can be rotated without losing deliveries', () => {
  const tokens = new PathTokens([OLD, NEW]);
  expect([tokens.accepts(OLD), tokens.accepts(NEW)]).toEqual([true, true]);
  expect(new PathTokens([NEW]).accepts(OLD)).toBe(false);
});

const OTHERS: [what: string, token: string][] = [
  ['an empty one', ''],
  ['all but its first character', OLD.slice(1)],
  ['one with a space behind it', `${OLD} `],
  ['one that differs in its last character', `${OLD.slice(1)}p`],
  ['as many characters of more bytes', 'ö'.repeat(32)],
  ['one in capitals', OLD.toUpperCase()],
  ['a very long one', 'x'.repeat(100_000)],
];

test.for(OTHERS)('another token is refused: %s', ([_, token]) => {
  expect(new PathTokens([OLD]).accepts(token)).toBe(false);
});

test('a configuration without tokens accepts nothing', () => {
  expect(new PathTokens([]).accepts('')).toBe(false);
});
