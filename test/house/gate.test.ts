import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from './source.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')));

const gate = readFileSync(join(REPOSITORY, '.ci/check'), 'utf8');
const steps = /^for step in (.+); do$/m.exec(gate)?.[1]?.split(' ') ?? [];

test('the gate runs every check that has a script, and the tests', () => {
  const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));
  expect(checks.length).toBeGreaterThan(0);
  expect(steps.toSorted()).toEqual([...checks, 'test'].toSorted());
  expect(scripts['check']).toBe('.ci/check');
});

test.for(['.ci/run', '.ci/check'])('%s can be executed', (path) => {
  expect(() => accessSync(join(REPOSITORY, path), constants.X_OK)).not.toThrow();
});

test('what ends the run in CI is the gate that a developer runs', () => {
  const ci = readFileSync(join(REPOSITORY, '.ci/run'), 'utf8').trimEnd().split('\n');
  expect(ci.slice(-2)).toEqual(['npm ci --no-audit --no-fund', 'npm run check']);
});
