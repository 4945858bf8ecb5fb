import { expect, test } from 'vitest';
import { soak } from './soak.ts';

async function said(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await soak(args, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
}

test('several seeds are played, counted and summed up', async () => {
  const { code, text } = await said('--seeds', '2', '--from', '31', '--steps', '10');
  expect(code).toBe(0);
  expect(text).toContain('2/2 seeds, 0 failed');
  expect(text).toMatch(/"acknowledged":\d+/);
});

test('one seed prints its digest, and its log when asked', async () => {
  const { code, text } = await said('--seed', '31', '--steps', '5', '--log');
  expect(code).toBe(0);
  expect(text).toMatch(/^0\.000 commit decision: kept/);
  expect(text).toMatch(/"digest":"[0-9a-f]{64}"}$/);
});

test('three receivers share a journal, and the replay of a seed says so', async () => {
  const { code, text } = await said('--seed', '31', '--steps', '3', '--receivers', '3', '--log');
  expect(code).toBe(0);
  expect(text).toContain(' a: owner in epoch 1');
  expect(text).toMatch(/"epochs":[1-9]/);
});

test('no seed is started after the time is over', async () => {
  const { code, text } = await said('--seeds', '1000', '--minutes', '0');
  expect(code).toBe(0);
  expect(text).toContain('stopped after 0 minutes, 0 of 1000 seeds played');
});

test('an option or a number that is none is refused with the usage', async () => {
  for (const args of [
    ['--sedes', '3'],
    ['--seed', 'x'],
    ['--seeds', '-1'],
    ['--receivers', '0'],
    ['--receivers', '6'],
    ['stray'],
  ]) {
    const { code, text } = await said(...args);
    expect(code).toBe(2);
    expect(text).toContain('npm run soak -- --seed N');
  }
});

test('--help prints the usage', async () => {
  const { code, text } = await said('--help');
  expect(code).toBe(0);
  expect(text).toContain('Exit code 0 when every seed held');
});
