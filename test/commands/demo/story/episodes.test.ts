import { expect, test } from 'vitest';
import {
  missingMemo,
  reorgBeforeCredit,
  triedAgain,
  type Stage,
} from '../../../../src/commands/demo/story/episodes.ts';

test('the terminal names a deposit by its whole hash, as the console searches for it', async () => {
  const hash = `0x${'4d'.repeat(32)}`;
  const notes: string[] = [];
  const traffic = { minedThenDropped: async () => hash, depositOfNobody: async () => hash };
  const operator = { attributeHeld: async () => 0 };
  const stage = { traffic, operator, note: (text: string) => notes.push(text) };
  await reorgBeforeCredit(stage as unknown as Stage);
  await missingMemo(stage as unknown as Stage);
  expect(notes).toEqual([
    `a reorg took deposit ${hash} before it was credited`,
    `deposit ${hash} names no customer: it is held for a person`,
  ]);
});

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
