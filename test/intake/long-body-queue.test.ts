import { expect, test } from 'vitest';
import { LongBodyQueue } from '../../src/intake/long-body-queue.ts';

/** What passes the line and stays there until it is let go. */
function watched() {
  const line = new LongBodyQueue();
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const passed: Promise<number>[] = [];
  const pass = (bytes: number): void => {
    const take = async (): Promise<number> => {
      begun.push(bytes);
      await new Promise<void>((resolve) => ends.set(bytes, resolve));
      return bytes;
    };
    passed.push(line.pass(bytes, take));
  };
  const end = async (bytes: number): Promise<void> => {
    ends.get(bytes)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pass, begun, end, passed };
}

test('long bodies go one by one where they are longer than 64 KiB together, and short ones pass', async () => {
  const { pass, begun, end, passed } = watched();
  for (const bytes of [70_000, 80_000, 600, 90_000, 4_096]) pass(bytes);
  await end(0);
  expect(begun).toEqual([600, 4_096, 70_000]);
  await end(70_000);
  expect(begun.slice(3)).toEqual([80_000]);
  await end(80_000);
  expect(begun.slice(4)).toEqual([90_000]);
  for (const bytes of [600, 4_096, 90_000]) await end(bytes);
  expect(await Promise.all(passed)).toEqual([70_000, 80_000, 600, 90_000, 4_096]);
});

test('long bodies go together up to 64 KiB, and nobody overtakes', async () => {
  const { pass, begun, end } = watched();
  for (const bytes of [32_768, 32_769, 28_671, 4_098, 4_097]) pass(bytes);
  await end(0);
  expect(begun).toEqual([32_768]);
  await end(32_768);
  expect(begun).toEqual([32_768, 32_769, 28_671]);
  await end(28_671);
  expect(begun).toEqual([32_768, 32_769, 28_671, 4_098, 4_097]);
});

test('a body that fails makes room for the next', async () => {
  const line = new LongBodyQueue();
  const failing = line.pass(70_000, () => Promise.reject(new Error('a bug')));
  const next = line.pass(70_000, () => Promise.resolve('taken'));
  await expect(failing).rejects.toThrow('a bug');
  expect(await next).toBe('taken');
});
