import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { showingStatus } from '../../src/commands/status-line.ts';
import type { Clock } from '../../src/custody/clock.ts';

/** A terminal without its control characters: each version of a line is an item. */
function terminal(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const text = (): string => String(stream.read() ?? '');
  // oxlint-disable-next-line no-control-regex -- terminals are controlled by these characters
  return { stream, said: () => text().split(/(?:\u001B\[2K|\u001B\[1G|\n)+/) };
}

/** A clock whose sleeps end at each call of `step`. */
function steppedClock(): Clock & { step: () => Promise<void> } {
  let nowMs = 0;
  const sleeping: { ms: number; wake: () => void }[] = [];
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeping.push({ ms, wake: resolve });
        signal?.addEventListener('abort', () => resolve());
      }),
    step: async () => {
      const one = sleeping.shift();
      if (one === undefined) throw new Error('nobody sleeps');
      nowMs += one.ms;
      one.wake();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}

const NOTE = 'It is being worked on.';

test('a terminal shows the current reason for the wait, and the line goes away', async () => {
  const { stream, said } = terminal(true);
  const clock = steppedClock();
  let done: (result: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    done = resolve;
  });
  const reasons = ['97 of 100', '98 of 100', null];
  const why = async (): Promise<string | null> => reasons.shift() ?? null;
  const waited = showingStatus(work, { stream, clock, note: NOTE, why });
  for (let second = 1; second <= 3; second += 1) await clock.step();
  done('done');
  expect(await waited).toBe('done');
  expect(said()).toEqual([
    NOTE,
    'waiting 1 s; 97 of 100',
    'waiting 2 s; 98 of 100',
    'waiting 3 s',
    '',
  ]);
});

test('work that ends at once or fails writes no line', async () => {
  const { stream, said } = terminal(true);
  const line = { stream, clock: steppedClock(), note: NOTE, why: async () => 'a reason' };
  expect(await showingStatus(Promise.resolve(7), line)).toBe(7);
  const failed = Promise.reject(new Error('no'));
  await expect(showingStatus(failed, line)).rejects.toThrow('no');
  expect(said()).toEqual(['']);
});

test('off a terminal nothing is asked or written', async () => {
  const { stream, said } = terminal(false);
  const asked: string[] = [];
  const clock: Clock = { now: () => 0, sleep: async () => void asked.push('slept') };
  const why = async (): Promise<null> => {
    asked.push('why');
    return null;
  };
  expect(await showingStatus(Promise.resolve(7), { stream, clock, note: NOTE, why })).toBe(7);
  expect([asked, said()]).toEqual([[], ['']]);
});
