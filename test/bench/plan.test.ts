import { expect, test } from 'vitest';
import { blocksOf, readPage } from '../docs/reading/page.ts';
import { CONTENDERS, readPlan, SCENARIOS, SUITES } from './plan.ts';

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

test('the chosen suites run in their usual order', () => {
  const plan = readPlan('--only counterfoil --only hono --connections 8 --stored 5'.split(' '));
  expect(plan.contenders).toEqual(['hono', 'counterfoil']);
  expect(plan.connections).toEqual([8]);
  expect(plan.stored).toEqual([5]);
  expect(readPlan(['--all']).suites).toEqual(SUITES);
});

test('the credit suite is short unless its full length or a number of minutes is asked for', () => {
  expect(readPlan([])).toMatchObject({ scenarios: SCENARIOS, lasts: 'short' });
  expect(readPlan(['--full', '--scenario', 'c'])).toMatchObject({
    scenarios: ['c'],
    lasts: 'full',
  });
  expect(readPlan(['--full', '--minutes', '5']).lasts).toBe(5);
});

test.each([
  [['--scenario', 'z'], 'no scenario z: a, b'],
  [['--only', 'nginx'], 'no server nginx: '],
  [['--suite', 'speed'], 'no suite speed: '],
  [['--traffic', 'heavy'], 'no traffic heavy: mixed, deposits'],
  [['--seconds', '0'], '--seconds wants a number from 1'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused with what to do', (args, message) => {
  expect(() => readPlan(args)).toThrow(TypeError);
  expect(() => readPlan(args)).toThrow(message);
});

test('the commands of docs/performance.md are plans', () => {
  const block = blocksOf(readPage('docs/performance.md')).find(({ language }) => language === 'sh');
  const commands = [...(block?.text ?? '').matchAll(/^npm run bench(?: -- (?<flags>[^#\n]+))?/gm)];
  expect(commands.length).toBeGreaterThan(5);
  for (const { groups } of commands) {
    const flags = groups?.['flags']?.trim().split(/ +/) ?? [];
    expect(() => readPlan(flags)).not.toThrow();
  }
  expect(() => readPlan(['--no-such-flag'])).toThrow('--no-such-flag');
});
