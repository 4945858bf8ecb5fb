import type { ProblemShown } from '../../api/acting.ts';

/** What the console's forms call the members of the API's calls. */
const LABELS: Readonly<Record<string, string>> = {
  assignee: 'Assignee',
  attributedTo: 'Owner',
  amount: 'Amount',
  asset: 'Asset',
  blockchainHash: 'Hash',
  breakType: 'Type',
  decimals: 'Decimals',
  direction: 'Ours − theirs',
  name: 'Name',
  network: 'Network',
  note: 'Note',
  owner: 'Owner',
  reason: 'Reason',
  role: 'Role',
  rule: 'Rule',
  until: 'End',
  vaultId: 'Vault',
};

/** The label of a form's field; its name where no form shows it. */
export function labelOf(field: string): string {
  return Object.hasOwn(LABELS, field) ? (LABELS[field] ?? field) : field;
}

/** How the API ends and begins the refusal of a body, for programs. */
const FOR_PROGRAMS = / See \/docs for what this call takes\.$|^body: /g;

/** The member before what is wrong with it. */
const WRONG_MEMBER = /(?<=^|; )([A-Za-z]+)(?=: )/g;

/** Members whose names are no words. */
const COMPOUND = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g;

/** Ends of refusals that name a call or one of its members, and what a person does instead. */
const CALLS: readonly (readonly [end: RegExp, instead: string])[] = [
  [/ change minimumAmount with PUT \/v1\/policy$/, ' change “Minimum amount” under Policy'],
  [/ change startsAt with PUT \/v1\/policy$/, ' change “Credited from” under Policy'],
  [/ with POST \/v1\/policy\/resume$/, ' under Policy'],
  [/ with POST \/v1\/deposits\/\{id\}\/\w+$/, ''],
  [/: list them with GET \/v1\/\w+\.$/, '.'],
  [/ a later end in until$/, ' a later end'],
];

/** A refusal of the API as the reader of a form understands it: labels, and no calls. */
export function inFormWords(problem: ProblemShown): ProblemShown {
  const { status, detail } = problem;
  if (status === 400) {
    const shown = detail
      .replaceAll(FOR_PROGRAMS, '')
      .replaceAll(WRONG_MEMBER, labelOf)
      .replaceAll(COMPOUND, labelOf);
    return { status, title: 'The form is not valid', detail: shown };
  }
  const shown = CALLS.reduce((text, [end, instead]) => text.replace(end, instead), detail);
  return { ...problem, detail: shown };
}
