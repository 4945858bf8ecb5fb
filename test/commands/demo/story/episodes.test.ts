import { expect, test } from 'vitest';
import { triedAgain } from '../../../../src/commands/demo/story/episodes.ts';

test('a staged deposit that was not credited in time is followed by another', async () => {
  const outcomes = [null, null, '0xabc'];
  const attempt = async () => outcomes.shift() ?? null;
  expect(await triedAgain(attempt, new AbortController().signal)).toBe('0xabc');
  expect(outcomes).toEqual([]);
});

test('when the demo is over nothing is staged any more', async () => {
  const ended = new AbortController();
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    ended.abort();
    return null;
  };
  expect(await triedAgain(attempt, ended.signal)).toBeNull();
  expect(await triedAgain(attempt, ended.signal)).toBeNull();
  expect(attempts).toBe(1);
});
