import { expect, test } from 'vitest';
import type { Mistakes } from '../../store/replicated/memory-journal.ts';
import { simulate } from '../simulation.ts';
import type { Verdict } from '../verdict.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEPS = 25;
const RECEIVERS = 3;
/** Real time for runs that take a second or two on a machine that has nothing else to do. */
const RUN_MS_MAX = 240_000;

/** Empty when every promise held, else what to read and how to see it happen again. */
function story({ seed, problems, tail }: Verdict): string {
  if (problems.length === 0) return '';
  const options = `--seed ${seed} --steps ${STEPS} --receivers ${RECEIVERS}`;
  return [`replay it with: npm run soak -- ${options}`, ...problems, '…', ...tail].join('\n');
}

/** Each must have happened in the runs, at least three times: a run without faults proves nothing. */
const WANTED = ['epochs', 'sleeps', 'deaths', 'handed', 'oldReplicas', 'left'];

test(
  'whatever faults three receivers have, each has the books of the chain and the same feed',
  async () => {
    const extents: Record<string, number> = {};
    for (const seed of SEEDS) {
      const verdict = await simulate(seed, { steps: STEPS, receivers: RECEIVERS });
      expect(story(verdict)).toBe('');
      expect(verdict.extent['acknowledged']).toBeGreaterThan(10);
      for (const [name, count] of Object.entries(verdict.extent)) {
        extents[name] = (extents[name] ?? 0) + count;
      }
    }
    expect(WANTED.filter((name) => (extents[name] ?? 0) < 3)).toEqual([]);
  },
  RUN_MS_MAX,
);

test(
  'a request that hangs while its process sleeps ends once the process has woken',
  async () => {
    const verdict = await simulate(930_502, { receivers: RECEIVERS, closes: false });
    expect(verdict.problems).toEqual([]);
  },
  RUN_MS_MAX,
);

test(
  'the same seed gives the same events and the same journal',
  async () => {
    // Its owner falls asleep with requests of others before it, and dies amid a sweep.
    const options = { receivers: RECEIVERS, closes: false };
    const first = await simulate(930_089, options);
    const second = await simulate(930_089, options);
    expect(second.digest).toBe(first.digest);
  },
  RUN_MS_MAX,
);

test.each<[string, Mistakes]>([
  ['a standby that is not synchronous', { isAsynchronous: true }],
  ['a journal that does not compare epochs', { ignoresEpoch: true }],
])(
  'the judge notices %s in one of six runs',
  async (_, mistakes) => {
    const options = { steps: STEPS, receivers: RECEIVERS, lies: false, mistakes };
    const problems: string[] = [];
    for (const seed of SEEDS) {
      problems.push(...(await simulate(seed, options)).problems);
      if (problems.length > 0) break;
    }
    expect(problems.join()).toMatch(/diverged/);
  },
  RUN_MS_MAX,
);
