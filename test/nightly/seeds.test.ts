import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { soak } from '../simulation/soak.ts';

const SEEDS = 100;
const MINUTES_MAX = 15;

/** The gate plays the same seeds every time; a seed that fails here belongs among them. */
test.each(['1', '3'])(
  `whatever goes wrong, every promise holds (${SEEDS} seeds that nobody chose, receivers: %s)`,
  async (receivers) => {
    const from = randomInt(2 ** 31);
    console.info(`seeds from ${from}`);
    const extent = ['--seeds', `${SEEDS}`, '--minutes', `${MINUTES_MAX}`];
    const args = [...extent, '--from', `${from}`, '--receivers', receivers];
    expect(await soak(args, console.info)).toBe(0);
  },
);

test('npm run soak compiles the simulation with everything that it reads, and plays', () => {
  const script = fileURLToPath(new URL('../simulation/soak', import.meta.url));
  const text = execFileSync(script, ['--seed', '31', '--steps', '1'], { encoding: 'utf8' });
  expect(text).toMatch(/"digest":"[0-9a-f]{64}"}$/m);
});
