import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { TallyReporter } from './tally-reporter.ts';

const EVERY_TEST = ['test/**/*.test.ts'];

/** Each of these files gets a process of its own. */
const LONERS = [
  // They start programs, kill them, and look at what is left of their own process.
  'test/{commands,e2e,house,ops,simulation}/**/*.test.ts',
  'test/simulator/{conformance,identity,persistence}/**/*.test.ts',
  // They measure time and memory.
  'test/simulator/load/**/*.test.ts',
  'test/store/{dossiers,key-filter}.test.ts',
];

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    pool: 'forks',
    // The default leaves a core idle; files wait for disks and timers more than they compute.
    maxWorkers: 2,
    // What hangs must end; what is slow on a busy machine must not fail for it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    reporters: ['default', new TallyReporter()],
    projects: [
      { extends: true, test: { name: 'loners', include: LONERS } },
      {
        // Whose tests close whatever they open: one process loads what they share once, and runs
        // one file after another. That spares a quarter of their time.
        extends: true,
        test: {
          name: 'neighbours',
          isolate: false,
          include: EVERY_TEST,
          exclude: [...configDefaults.exclude, ...LONERS],
        },
      },
    ],
  },
});
