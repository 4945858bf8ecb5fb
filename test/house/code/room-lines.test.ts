import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSources, REPOSITORY } from '../source.ts';
import { roomsWithoutLine } from './room-lines.ts';

const FILES = [
  'src/main.ts',
  'src/api/answer.ts',
  'src/api/books/lists.ts',
  'src/api/books/reads/x.ts',
].map((path) => ({ path, text: '' }));

test.for([
  ['each has a row', '| `api/books` | lists | rules |\n| `api/books/reads` | reads | writes |', []],
  ['a room inside a room has no row', '| `api/books` | lists | rules |', ['api/books/reads']],
  [
    'a row does not say what the room does not hold',
    '| `api/books` | lists |  |\n| `api/books/reads` | reads | writes |',
    ['api/books'],
  ],
  [
    'a sentence is no row',
    '`api/books` and `api/books/reads` hold lists.',
    ['api/books', 'api/books/reads'],
  ],
] as const)('rooms without a line: %s', ([, text, found]) => {
  expect(roomsWithoutLine(FILES, text)).toEqual(found);
});

test('ARCHITECTURE.md says of every room what belongs in it and what does not', () => {
  const text = readFileSync(join(REPOSITORY, 'ARCHITECTURE.md'), 'utf8');
  expect(roomsWithoutLine(readSources('src'), text)).toEqual([]);
});
