import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute, although their text is short. */
const LONG = ['test/simulation/simulation.test.ts', 'test/simulation/receivers/receivers.test.ts'];

/**
 * Starts files that take long before the others, so that at the end of a run no file runs alone.
 * Vitest starts the longest text first, as it knows no durations on a fresh machine.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((path) => moduleId.endsWith(path));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
