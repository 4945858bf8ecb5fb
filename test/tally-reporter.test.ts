import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plant, VITEST_FILES } from './house/plant.ts';
import { REPOSITORY } from './house/source.ts';
import { tallyLine } from './tally-reporter.ts';

/** Runs planted tests under the repository's own vitest configuration. */
function run(files: Readonly<Record<string, string>>): { status: number | null; lines: string[] } {
  const { folder, remove } = plant(files, VITEST_FILES);
  try {
    const vitest = join(REPOSITORY, 'node_modules/.bin/vitest');
    const args = ['run', '--config', 'test/vitest.config.ts'];
    const { status, stdout } = spawnSync(vitest, args, { cwd: folder, encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  } finally {
    remove();
  }
}

const START = "import { beforeAll, describe, expect, test } from 'vitest';\n";

test('a green run ends with its count alone on the last line', () => {
  const text = `${START}test('a', () => {}); test('b', () => {});`;
  const { status, lines } = run({ 'test/a.test.ts': text });
  expect(lines.at(-1)).toBe('2 passed, 0 failed');
  expect(status).toBe(0);
});

test('a file that does not load, a broken hook and a failed test each count', () => {
  const { status, lines } = run({
    'test/a.test.ts': `${START}test('a', () => {}); test('b', () => { expect(1).toBe(2); });`,
    'test/b.test.ts': `${START}throw new Error('not loaded');`,
    'test/c.test.ts': `${START}describe('c', () => { beforeAll(() => { throw new Error('hook'); }); test('c', () => {}); });`,
  });
  expect(lines.at(-1)).toBe('1 passed, 3 failed, 1 skipped');
  expect(status).toBe(1);
});

test('an error that no test caught is a failure of the run', () => {
  const text = `${START}test('a', async () => { void Promise.reject(new Error('loose')); await new Promise(setImmediate); });`;
  const { status, lines } = run({ 'test/a.test.ts': text });
  expect(lines.at(-1)).toBe('1 passed, 1 failed');
  expect(status).toBe(1);
});

test('a process that is killed names its file and the tests without a result', () => {
  const text = `${START}test('a', () => process.kill(process.pid, 'SIGKILL')); test('b', () => {});`;
  const { status, lines } = run({ 'test/a.test.ts': text });
  expect(lines.at(-2)).toBe('did not finish: test/a.test.ts: a | b');
  // Vitest's own error, and the two tests.
  expect(lines.at(-1)).toBe('0 passed, 3 failed');
  expect(status).toBe(1);
});

test('the line names skipped tests only where there are some', () => {
  expect(tallyLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(tallyLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});
