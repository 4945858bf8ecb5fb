import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../house/source.ts';

const HOURS_MAX = 4;

test(
  'the tests of the rules notice changes of the rules',
  async () => {
    const run = spawn(join(REPOSITORY, 'test/mutation/run'), { stdio: 'inherit' });
    expect(await once(run, 'exit')).toEqual([0, null]);
  },
  HOURS_MAX * 3_600_000,
);
