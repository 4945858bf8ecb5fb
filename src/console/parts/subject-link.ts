import { balancesLink } from './book-links.ts';

/** Things that have a page. */
export type Subject =
  | 'deposit'
  | 'withdrawal'
  | 'hash'
  | 'notification'
  | 'break'
  | 'day'
  | 'policy'
  | 'quarantine'
  | 'run'
  | 'vault';

/** The folder of each thing's pages. */
const FOLDERS: Readonly<Record<Exclude<Subject, 'policy' | 'vault'>, string>> = {
  deposit: '/console/deposits',
  withdrawal: '/console/withdrawals',
  hash: '/console/books/movements',
  notification: '/console/journal',
  break: '/console/breaks',
  day: '/console/close',
  quarantine: '/console/quarantine',
  run: '/console/runs',
};

/** The page of a thing: of a halt the policy's, of a vault its balances. */
export function subjectLink(subject: Subject, id: string): string {
  if (subject === 'policy') return '/console/policy';
  if (subject === 'vault') return balancesLink({ vaultId: id });
  return `${FOLDERS[subject]}/${encodeURIComponent(id)}`;
}
