import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { GATE } from '../projects.ts';
import { REPOSITORY } from './source.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')));

const gate = readFileSync(join(REPOSITORY, '.ci/check'), 'utf8');
const beside = /^beside=(.+)$/m.exec(gate)?.[1] ?? '';
const steps = /^for step in (.+); do$/m.exec(gate)?.[1]?.replace('"$beside"', beside).split(' ');

test('the gate runs every check that has a script, and the tests', () => {
  const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));
  expect(checks.length).toBeGreaterThan(0);
  expect(steps?.toSorted()).toEqual([...checks, 'test'].toSorted());
  expect(scripts['check']).toBe('.ci/check');
});

test.for(['.ci/run', '.ci/check', '.ci/releases'])('%s can be executed', (path) => {
  expect(() => accessSync(join(REPOSITORY, path), constants.X_OK)).not.toThrow();
});

test('CI ends with the gate that a developer runs', () => {
  const ci = readFileSync(join(REPOSITORY, '.ci/run'), 'utf8').trimEnd().split('\n');
  expect(ci).toContain('npm ci --no-audit --no-fund');
  expect(ci.at(-1)).toBe('npm run check');
});

/** The test projects that a script runs, in the order in which it names them. */
function projectsIn(script: string): string[] {
  return [...(scripts[script] ?? '').matchAll(/ --project (\S+)/g)].map(([, name = '']) => name);
}

test('the tests of the gate are its five projects, and the other two scripts run one each', () => {
  expect(projectsIn('test')).toEqual(GATE);
  expect(projectsIn('test:rules')).toEqual(['rules']);
  expect(projectsIn('test:nightly')).toEqual(['nightly']);
});

test('the gate tries the release of Node that the image has, the last 24 that works and the newest, and one command tries all', () => {
  const image = /^FROM node:(\d+)/m.exec(readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8'))?.[1];
  expect(scripts['check:releases']).toBe(`.ci/releases ${image} 24.18 26`);
  expect(scripts['releases']).toBe('.ci/releases 20 22 24.18 26');
});
