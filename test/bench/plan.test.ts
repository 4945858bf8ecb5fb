import { expect, test } from 'vitest';
import { CONTENDERS, readPlan, SUITES } from './plan.ts';

test('without options every server is measured, and intake alone', () => {
  expect(readPlan([])).toMatchObject({
    suites: ['intake'],
    contenders: CONTENDERS,
    connections: [16, 64, 256],
    traffic: 'mixed',
    vaults: 500,
    stored: null,
  });
});

test('what is asked for is measured in its usual order', () => {
  const plan = readPlan('--only counterfoil --only hono --connections 8 --stored 5'.split(' '));
  expect(plan.contenders).toEqual(['hono', 'counterfoil']);
  expect(plan.connections).toEqual([8]);
  expect(plan.stored).toEqual([5]);
  expect(readPlan(['--all']).suites).toEqual(SUITES);
});

test.each([
  [['--only', 'nginx'], 'no server nginx: '],
  [['--suite', 'speed'], 'no suite speed: '],
  [['--traffic', 'heavy'], 'no traffic heavy: mixed, deposits'],
  [['--seconds', '0'], '--seconds wants a number from 1'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused with what to do', (args, message) => {
  expect(() => readPlan(args)).toThrow(TypeError);
  expect(() => readPlan(args)).toThrow(message);
});
