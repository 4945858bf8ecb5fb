import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { NOT_INSTALLED, postgresPrograms } from '../src/commands/demo/postgres/installation.ts';
import { LongFilesFirst } from './long-files-first.ts';
import { patternsOf } from './projects.ts';
import { TallyReporter } from './tally-reporter.ts';

const LISTED = (['rules', 'programs', 'nightly'] as const).flatMap(patternsOf);

const HAS_POSTGRES = postgresPrograms(process.env) !== undefined;
if (!HAS_POSTGRES) console.warn(`the project postgres is skipped: ${NOT_INSTALLED}`);

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    pool: 'forks',
    // Tests close whatever they open, so a process runs one file after another and loads what they
    // share once.
    isolate: false,
    maxWorkers: 3,
    // What hangs must end; what is slow on a busy machine must not fail for it. Tests that take three
    // seconds on an idle one have taken half a minute with ten other programs running.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    restoreMocks: true,
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', new TallyReporter()],
    projects: [
      { extends: true, test: { name: 'rules', include: patternsOf('rules') } },
      {
        extends: true,
        test: {
          name: 'http',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...LISTED],
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: patternsOf('shared'),
          provide: { store: 'shared' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: HAS_POSTGRES ? patternsOf('postgres') : [],
          globalSetup: HAS_POSTGRES ? ['test/postgres/suite-server.ts'] : [],
          setupFiles: ['test/postgres/suite-setup.ts'],
          provide: { store: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: patternsOf('programs'),
          // Files wait for programs, disks and timers: five at a time leave 20 % of two cores idle.
          maxWorkers: 7,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'nightly',
          include: patternsOf('nightly'),
          testTimeout: 3_600_000,
          // Each measures what the machine can do.
          isolate: true,
          fileParallelism: false,
        },
      },
    ],
  },
});
