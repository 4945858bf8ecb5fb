/**
 * The projects of the tests, and the folders and files below `test/` that each of them holds. A file
 * that no list names belongs to `http`.
 */
const TESTS = {
  /**
   * Values in, values out: no network, no process, no thread, no file of their own, no build. Tests
   * that take more than some seconds are in `http`: these here run at every save, in half a minute.
   */
  rules: [
    'custody/budget/rate-header.test.ts',
    'custody/list',
    'daemon/senders/certificate-header.test.ts',
    'daemon/senders/certificate-rules.test.ts',
    'daemon/senders/certificate-value.test.ts',
    'domain',
    'house/code/frozen-texts.test.ts',
    'house/projects',
    'house/cases.test.ts',
    'house/gate.test.ts',
    'reconcile/comparing',
    'simulator/chain',
    'simulator/signing',
    'simulator/transactions',
    'simulator/vaults',
    'translation/balance-change.test.ts',
    'translation/notification.test.ts',
    'translation/time.test.ts',
    'translation/transaction.test.ts',
  ],
  /** They start programs or a browser, kill them, or take long. */
  programs: [
    'commands',
    'console/browser',
    'docs',
    'e2e',
    'house/compose.test.ts',
    'house/dead.test.ts',
    'house/dockerfile.test.ts',
    'house/lint.test.ts',
    'ops/alerts.test.ts',
    'postgres',
    'report/ledgers.test.ts',
    'simulation',
    'simulator/conformance',
    'simulator/identity',
    'simulator/inspector/browser',
    'simulator/persistence',
    'store/postgres',
    'store/unit/hash-states.test.ts',
    'tally-reporter.test.ts',
  ],
  /** Minutes and hours: load, failovers, seeds that nobody has played before, changes of the rules. */
  nightly: ['failover', 'nightly'],
} as const;

/**
 * Suites of `http` that the project `shared` runs once more: every store that `OpenLedger` opens is the
 * replica of a shared journal's owner then, and a follower's replica must be its equal. Others stay
 * out: those that never write a fact, those that write to the store beside the journal (a follower
 * would differ), and those that take long and would show the same.
 */
const SHARED = [
  'store/golden.test.ts',
  'store/bookkeeping/added-exemptions.test.ts',
  'store/bookkeeping/every-break.test.ts',
  'store/bookkeeping/properties.test.ts',
  'store/bookkeeping/replayed-basis.test.ts',
  'store/bookkeeping/deposit-ages.test.ts',
  'store/close/burned-fee-closes.test.ts',
  'store/close/closed-days.test.ts',
  'store/close/report-position.test.ts',
  'store/reads/decisions.test.ts',
  'store/reads/list-totals.test.ts',
  'store/reads/reads.test.ts',
  'store/reads/reconciler-reads.test.ts',
  'reconcile/close/two-journals.test.ts',
  'reconcile/forged/forged.test.ts',
  'reconcile/forged/forged-outgoing.test.ts',
  'reconcile/forged/forged-position.test.ts',
  'reconcile/one-difference.test.ts',
  'reconcile/own-transfer.test.ts',
  'reconcile/rollback.test.ts',
  'reconcile/verifying/verification.test.ts',
] as const;

/** Suites of `shared` that the project `postgres` runs once more, over journals in PostgreSQL. */
const POSTGRES = SHARED.filter((path) => path !== 'store/golden.test.ts');

export type Project = keyof typeof TESTS | 'http' | 'shared' | 'postgres';

/** The projects that the gate runs, the cheapest first. */
export const GATE: readonly Project[] = ['rules', 'http', 'shared', 'postgres', 'programs'];

const below = (path: string): string => `test/${path}`;

function pathsOf(project: keyof typeof TESTS | 'shared' | 'postgres'): readonly string[] {
  if (project === 'shared') return SHARED;
  return project === 'postgres' ? POSTGRES : TESTS[project];
}

/** The patterns of the test files of a project's list. */
export function patternsOf(project: keyof typeof TESTS | 'shared' | 'postgres'): string[] {
  const paths = pathsOf(project);
  return paths.map((path) => (path.endsWith('.ts') ? below(path) : `${below(path)}/**/*.test.ts`));
}

/** Every project that a test file belongs to; `http` when none lists it. `shared` only borrows. */
export function projectsOf(path: string): Project[] {
  const names = ['rules', 'programs', 'nightly'] as const;
  const listing = names.filter((name) =>
    TESTS[name].some((listed) => path === below(listed) || path.startsWith(`${below(listed)}/`)),
  );
  return listing.length === 0 ? ['http'] : listing;
}
