import { expect, test } from 'vitest';
import { nowAndThen } from '../../../../src/commands/serve/writing/now-and-then.ts';

test('something is told two seconds after the beginning, and then every two seconds, as it is by then', () => {
  let now = 500;
  const heard: [at: number, part: number][] = [];
  const tell = nowAndThen(
    () => now,
    (part: number) => heard.push([now, part]),
  );
  for (let part = 1; part <= 9; part += 1) {
    tell(part);
    now += 700;
  }
  expect(heard).toEqual([
    [2_600, 4],
    [4_700, 7],
  ]);
});

test('what is over at once is not told at all', () => {
  let now = 0;
  const heard: string[] = [];
  const tell = nowAndThen(
    () => now,
    (text: string) => heard.push(text),
  );
  tell('begun');
  now = 1_999;
  tell('over');
  expect(heard).toEqual([]);
});
