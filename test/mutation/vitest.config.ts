import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** Tests that call a rule before those that ask a whole ledger: most changes are noticed by then. */
class RulesFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const asksLedger = ({ moduleId }: TestSpecification): number =>
      Number(readFileSync(moduleId, 'utf8').includes('openLedger'));
    return Promise.resolve(files.toSorted((left, right) => asksLedger(left) - asksLedger(right)));
  }
}

/**
 * The tests of the rules alone: a rule must be held by them, and not only by a test of the whole.
 * They share one set of modules, which is twice as fast: each change runs in a process that is new.
 */
export default defineConfig({
  test: {
    include: ['test/domain/**/*.test.ts'],
    isolate: false,
    testTimeout: 60_000,
    sequence: { sequencer: RulesFirst },
  },
});
