import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choices, Choices } from '../generated-choices.ts';
import { played } from '../bookkeeping/random-steps.ts';
import type { Mistakes } from './memory-journal.ts';
import { Receivers } from './receivers.ts';

const PATIENCE_MS = 240_000;
const BOUNDED = { interruptAfterTimeLimit: 60_000 };

/** The problems that remain after a schedule of faults. */
async function problemsOf(
  story: readonly number[],
  faults: readonly number[],
  mistakes: Mistakes = {},
): Promise<{ problems: string[]; acknowledged: number }> {
  const { play } = await played(story);
  const receivers = new Receivers(new Choices(faults), mistakes);
  await receivers.run(play.facts);
  const problems = receivers.problems();
  play.open.close();
  for (const { open } of receivers.all) open.close();
  return { problems, acknowledged: receivers.acknowledged.length };
}

test(
  'whatever breaks, no acknowledged fact is lost and all replicas agree',
  async () => {
    const property = fc.asyncProperty(choices, choices, async (story, faults) => {
      const { problems, acknowledged } = await problemsOf(story, faults);
      expect(problems).toEqual([]);
      expect(acknowledged).toBeGreaterThan(0);
    });
    await fc.assert(property, { numRuns: 40, ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'the judge notices a standby that is not synchronous',
  async () => {
    const stories = fc.sample(fc.tuple(choices, choices), { numRuns: 150, seed: 7 });
    const mistakes = { isAsynchronous: true };
    for (const [story, faults] of stories) {
      const { problems } = await problemsOf(story, faults, mistakes);
      if (problems.length > 0) return;
    }
    expect.unreachable('no story lost anything');
  },
  PATIENCE_MS,
);
