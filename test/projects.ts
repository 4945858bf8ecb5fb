/**
 * The projects of the tests, and the folders and files below `test/` that each of them holds. A file
 * that no list names belongs to `http`.
 */
const PLACES = {
  /** Values in, values out: no network, no process, no thread, no file of their own, no build. */
  rules: [
    'custody/budget/budget.test.ts',
    'custody/budget/rate-header.test.ts',
    'custody/list',
    'daemon/senders/certificate-header.test.ts',
    'daemon/senders/certificate-rules.test.ts',
    'daemon/senders/certificate-value.test.ts',
    'domain',
    'house/code',
    'house/cases.test.ts',
    'house/gate.test.ts',
    'reconcile/comparing',
    'simulator/chain',
    'simulator/signing',
    'simulator/transactions',
    'simulator/vaults',
    'translation',
  ],
  /** Each file in a process of its own: they start programs, kill them, or measure this process. */
  programs: [
    'commands',
    'console/browser',
    'docs',
    'e2e',
    'house/dead.test.ts',
    'house/dockerfile.test.ts',
    'house/lint.test.ts',
    'ops/alerts.test.ts',
    'report/ledgers.test.ts',
    'simulation',
    'simulator/conformance',
    'simulator/identity',
    'simulator/persistence',
    'store/unit/hash-states.test.ts',
    'tally-reporter.test.ts',
  ],
  /** Minutes and hours: load, seeds that nobody has played before, changes of the rules. */
  nightly: ['nightly'],
} as const;

export type Project = keyof typeof PLACES | 'http';

/** The projects that the gate runs, the cheapest first. */
export const GATE: readonly Project[] = ['rules', 'http', 'programs'];

const below = (place: string): string => `test/${place}`;

/** The patterns of the test files of a project's list. */
export function patternsOf(project: keyof typeof PLACES): string[] {
  return PLACES[project].map((place) =>
    place.endsWith('.ts') ? below(place) : `${below(place)}/**/*.test.ts`,
  );
}

/** Every project that lists a test file; `http` when none does. */
export function projectsOf(path: string): Project[] {
  const names = ['rules', 'programs', 'nightly'] as const;
  const listing = names.filter((name) =>
    PLACES[name].some((place) => path === below(place) || path.startsWith(`${below(place)}/`)),
  );
  return listing.length === 0 ? ['http'] : listing;
}
