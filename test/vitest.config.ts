import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './tally-reporter.ts';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    // Real servers, real files, child processes: each test file gets a process of its own.
    pool: 'forks',
    // The default leaves a core idle; files wait for disks and timers more than they compute.
    maxWorkers: 2,
    // What hangs must end; what is slow on a busy machine must not fail for it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    reporters: ['default', new TallyReporter()],
  },
});
