import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plant, VITEST_FILES } from './plant.ts';
import { REPOSITORY } from './source.ts';

const CONFIGURATION = [
  'package.json',
  'tsconfig.json',
  'test/bench/tsconfig.json',
  ...VITEST_FILES,
];

const HOUSE = {
  'src/main.ts': "import { used } from './used.ts';\nused();\n",
  'src/used.ts': 'export const used = (): number => 1;\nexport const forgotten = 2;\n',
  'src/unreached.ts': 'export const unreached = 3;\n',
  'src/tested.ts': 'export const tested = 4;\n',
  'test/tested.test.ts':
    "import { expect, test } from 'vitest';\nimport { tested } from '../src/tested.ts';\ntest('x', () => expect(tested).toBe(4));\n",
};

/** Looks for dead code in planted sources with this repository's own configuration. */
function dead(...options: string[]): { status: number | null; output: string } {
  const { folder, remove } = plant(HOUSE, CONFIGURATION);
  try {
    const args = ['--include', 'files,exports', '--reporter', 'compact', '--no-progress'];
    const knip = join(REPOSITORY, 'node_modules/.bin/knip');
    const run = spawnSync(knip, [...args, ...options], { cwd: folder, encoding: 'utf8' });
    return { status: run.status, output: run.stdout };
  } finally {
    remove();
  }
}

test('a file that nothing reaches and an export that nothing imports fail the gate', () => {
  const { status, output } = dead();
  expect(output).toContain('src/unreached.ts');
  expect(output).toContain('src/used.ts: forgotten');
  expect(output).not.toContain('src/tested.ts');
  expect(output).not.toContain('src/main.ts');
  expect(status).toBe(1);
});

test('a file that only a test reaches is dead for the program', () => {
  const { status, output } = dead('--production');
  expect(output).toContain('src/tested.ts');
  expect(status).toBe(1);
});
