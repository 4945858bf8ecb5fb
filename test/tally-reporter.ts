import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** What a run came to; `failed` also counts what broke outside any test. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The line that ends a run, alone on its line: `12 passed, 0 failed` or `…, 3 skipped`. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The state of a test, or of a file, whose process ended before its result arrived. */
const UNFINISHED = 'pending';

/**
 * Counts every test once. A file that does not load, a broken hook, a test without a result and an
 * error that no test caught each count as one failure: otherwise a file that cannot even be read
 * would end as `0 failed`.
 */
export function tallyOf(
  modules: readonly TestModule[],
  unhandledErrors: readonly SerializedError[],
): Tally {
  let passed = 0;
  let failed = unhandledErrors.length;
  let skipped = 0;
  for (const module of modules) {
    failed += module.errors().length > 0 ? 1 : 0;
    for (const suite of module.children.allSuites()) failed += suite.errors().length > 0 ? 1 : 0;
    for (const testCase of module.children.allTests()) {
      const { state } = testCase.result();
      if (state === 'passed') passed += 1;
      else if (state === 'skipped') skipped += 1;
      else failed += 1;
    }
  }
  return { passed, failed, skipped };
}

/**
 * A line for each file whose process ended before all results arrived, with the tests that have
 * none. Vitest's own report names neither.
 */
export function unfinishedLines(modules: readonly TestModule[]): string[] {
  const lines: string[] = [];
  for (const module of modules) {
    const tests = [...module.children.allTests()]
      .filter((testCase) => testCase.result().state === UNFINISHED)
      .map(({ fullName }) => fullName);
    const isUnfinished = tests.length > 0 || ['queued', UNFINISHED].includes(module.state());
    if (isUnfinished)
      lines.push(`did not finish: ${module.relativeModuleId}: ${tests.join(' | ')}`);
  }
  return lines;
}

/** Must be the last reporter: its line is the last that a run prints. */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const lines = [...unfinishedLines(modules), tallyLine(tallyOf(modules, unhandledErrors))];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}
