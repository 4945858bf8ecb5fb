import { expect, test } from 'vitest';
import { fullSentence } from '../../src/domain/full-sentence.ts';

test.for<[text: string, sentence: string]>([
  ['it is not held', 'It is not held.'],
  ['retried, and understood', 'Retried, and understood.'],
  ['acknowledged already. Compare your bookings.', 'Acknowledged already. Compare your bookings.'],
  ['crd_1 was reversed', 'crd_1 was reversed.'],
  ['stream: must be one of outgoing, incoming', 'stream: must be one of outgoing, incoming.'],
  ['"id" is empty', '"id" is empty.'],
])('%s becomes %s', ([text, sentence]) => {
  expect(fullSentence(text)).toBe(sentence);
});
