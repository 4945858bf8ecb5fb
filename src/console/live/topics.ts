/** Parts of the console that change: an element names those that it shows, in `data-live`. */
export const TOPICS = [
  'intake',
  'deposits',
  'withdrawals',
  'books',
  'feed',
  'breaks',
  'close',
  'policy',
  'quarantine',
  'runs',
  'access',
] as const;
export type Topic = (typeof TOPICS)[number];

const NOTIFIED: readonly Topic[] = ['intake', 'deposits', 'withdrawals', 'books', 'breaks'];
const POLICY: readonly Topic[] = ['policy', 'deposits', 'breaks'];
const BREAKS: readonly Topic[] = ['breaks'];
const DEPOSITS: readonly Topic[] = ['deposits', 'feed', 'books', 'breaks'];

/** What each kind of fact changes; any other kind changes breaks alone. */
const TOPICS_OF: Readonly<Record<string, readonly Topic[]>> = {
  notification: NOTIFIED,
  quarantined: ['intake', 'quarantine', 'breaks'],
  refused: ['intake', 'quarantine', 'breaks'],
  policy: POLICY,
  halt: POLICY,
  resume: POLICY,
  exemptions: POLICY,
  decimals: POLICY,
  judge: DEPOSITS,
  approve: DEPOSITS,
  hold: DEPOSITS,
  release: DEPOSITS,
  attribute: DEPOSITS,
  acknowledge: ['feed', 'deposits'],
  retry: ['quarantine', ...NOTIFIED],
  sign: ['close'],
  'run-now': [],
  'close-now': [],
  'create-token': ['access'],
  'rotate-token': ['access'],
  'revoke-token': ['access'],
  'end-session': ['access'],
  deposit: DEPOSITS,
  outgoing: ['withdrawals', 'books', 'breaks'],
  backfill: NOTIFIED,
  run: ['runs', 'breaks'],
  close: ['close', 'breaks'],
};

/** The topics that facts of these kinds change. The kind of a decision or a record is its own. */
export function topicsOf(kinds: Iterable<string>): ReadonlySet<Topic> {
  return new Set([...kinds].flatMap((kind) => TOPICS_OF[kind] ?? BREAKS));
}
