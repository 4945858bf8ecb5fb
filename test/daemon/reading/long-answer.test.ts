import { expect, test } from 'vitest';
import { divided, LongAnswer } from '../../../src/daemon/reading/long-answer.ts';

/** The answer as the receiving thread joins it, and how many items each message held. */
function received(answer: unknown): { whole: unknown; sizes: number[] } {
  const { rest, parts } = divided(answer);
  const long = new LongAnswer();
  const sizes: number[] = [];
  for (const part of parts) {
    sizes.push(part.items.length);
    long.take(structuredClone(part));
  }
  return { whole: long.with(structuredClone(rest)), sizes };
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));
const byKey = (count: number) => new Map(numbered(count).map((one) => [`${one.number}`, one]));
const hash = { deposits: numbered(5_000), sightings: [] };

const ANSWERS: [what: string, answer: unknown, sizes: number[]][] = [
  ['nothing', undefined, []],
  ['a number', 7, []],
  ['a short list', numbered(900), []],
  ['a long list', numbered(5_000), [2_000, 2_000, 1_000]],
  ['a large map, whose entries weigh twice', byKey(2_500), [1_000, 1_000, 500]],
  [
    'a large map of numbers',
    new Map(numbered(2_500).map(({ number }) => [number, number])),
    [2_000, 500],
  ],
  [
    'a long list, a large map and more',
    { list: numbered(2_001), map: byKey(2_001), of: { a: 1 } },
    [2_000, 1, 1_000, 1_000, 1],
  ],
  [
    'a few items that are large in themselves',
    { hashes: [hash, hash, { deposits: [] }] },
    [1, 1, 1],
  ],
  ['bytes', { type: 'text/csv', body: new Uint8Array(10_000) }, []],
];

test.for(ANSWERS)('%s arrives as it was, in messages of a bounded size', ([_, answer, sizes]) => {
  expect(received(answer)).toEqual({ whole: answer, sizes });
});
