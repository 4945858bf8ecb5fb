import type { ProblemShown } from '../../api/acting.ts';

/** What the console's forms call the members of the API's calls. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['assignee', 'Assignee'],
  ['attributedTo', 'Owner'],
  ['amount', 'Amount'],
  ['asset', 'Asset'],
  ['blockchainHash', 'Hash'],
  ['breakType', 'Type'],
  ['decimals', 'Decimals'],
  ['direction', 'Ours − theirs'],
  ['name', 'Name'],
  ['network', 'Network'],
  ['note', 'Note'],
  ['owner', 'Owner'],
  ['reason', 'Reason'],
  ['role', 'Role'],
  ['rule', 'Rule'],
  ['until', 'End'],
  ['vaultId', 'Vault'],
]);

/** The label of a form's field; its name where no form shows it. */
export function labelOf(field: string): string {
  return LABELS.get(field) ?? field;
}

/** How the API ends and begins the refusal of a body, for programs. */
const FOR_PROGRAMS = / See \/docs for what this call takes\.$|^body: /g;

/** The member before what is wrong with it. */
const WRONG_MEMBER = /(?<=^|; )([A-Za-z]+)(?=: )/g;

/** Members whose names are no words. */
const COMPOUND = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g;

/** The refusal of a call's body as the reader of a form understands it: with labels, and no calls. */
export function inFormWords(problem: ProblemShown): ProblemShown {
  if (problem.status !== 400) return problem;
  const detail = problem.detail
    .replaceAll(FOR_PROGRAMS, '')
    .replaceAll(WRONG_MEMBER, labelOf)
    .replaceAll(COMPOUND, labelOf);
  return { ...problem, title: 'The form is not valid', detail };
}
