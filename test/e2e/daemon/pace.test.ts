import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';

const PACE = new URL('../../../dist/daemon/reading/pace.js', import.meta.url).href;

const PRIORITY_LOWEST = 19;

/** The priority of a reader that keeps its pace in a program that was started by `nice -n`. */
function priorityUnder(nice: number, pace: 'prompt' | 'unhurried'): number {
  const program = `import { getPriority } from 'node:os';
    import { keepPace } from ${JSON.stringify(PACE)};
    keepPace('${pace}');
    console.log(getPriority());`;
  const args = ['-n', String(nice), process.execPath, '--input-type=module', '-e', program];
  return Number(execFileSync('nice', args, { encoding: 'utf8' }));
}

// Elsewhere priorities are a whole process's.
test.skipIf(process.platform !== 'linux').each([
  [0, 'unhurried', 10],
  [5, 'unhurried', 10],
  [10, 'unhurried', 10],
  [15, 'unhurried', 15],
  [0, 'prompt', 0],
  [15, 'prompt', 15],
] as const)('under nice %i a reader that is %s has the priority %i', (nice, pace, expected) => {
  // Who runs the tests under nice passes it on.
  const passedOn = Math.min(getPriority() + nice, PRIORITY_LOWEST);
  expect(priorityUnder(nice, pace)).toBe(Math.max(passedOn, expected));
});
