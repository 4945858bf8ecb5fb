/** Things that have a page of their own. */
export type Subject =
  | 'deposit'
  | 'withdrawal'
  | 'hash'
  | 'notification'
  | 'break'
  | 'day'
  | 'policy'
  | 'quarantine'
  | 'run';

/** The folder of each thing's pages. */
const FOLDERS: Readonly<Record<Exclude<Subject, 'policy'>, string>> = {
  deposit: '/console/deposits',
  withdrawal: '/console/withdrawals',
  hash: '/console/books/movements',
  notification: '/console/journal',
  break: '/console/breaks',
  day: '/console/close',
  quarantine: '/console/quarantine',
  run: '/console/runs',
};

/** The page of a thing. Every halt is on the page of the policy. */
export function subjectLink(subject: Subject, id: string): string {
  if (subject === 'policy') return '/console/policy';
  return `${FOLDERS[subject]}/${encodeURIComponent(id)}`;
}
