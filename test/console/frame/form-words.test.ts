import { expect, test } from 'vitest';
import { inFormWords } from '../../../src/console/frame/form-words.ts';

const NOT_VALID = { status: 400, title: 'The request is not valid' };
const DOCS = 'See /docs for what this call takes.';
const CONFLICT = { status: 409, title: 'Conflicts with the current state' };

test.for<[detail: string, shown: string]>([
  [`body: reason: must not be empty. ${DOCS}`, 'Reason: must not be empty.'],
  [
    `body: attributedTo: is missing; reason: must be at most 1000 characters. ${DOCS}`,
    'Owner: is missing; Reason: must be at most 1000 characters.',
  ],
  [
    `body: until: must be a day; blockchainHash: must not be empty. ${DOCS}`,
    'End: must be a day; Hash: must not be empty.',
  ],
  [
    `body: exempts everything: narrow it by asset, vaultId, blockchainHash. ${DOCS}`,
    'exempts everything: narrow it by asset, Vault, Hash.',
  ],
])('a form that is not valid is refused by its labels: %s', ([detail, shown]) => {
  expect(inFormWords({ ...NOT_VALID, detail })).toEqual({
    status: 400,
    title: 'The form is not valid',
    detail: shown,
  });
});

test.for<[detail: string, shown: string]>([
  [
    'no person holds it: it is held for dust, and a release does not change that: change minimumAmount with PUT /v1/policy',
    'no person holds it: it is held for dust, and a release does not change that: change “Minimum amount” under Policy',
  ],
  [
    'no person holds it: it is held for approval_required, and a release does not change that: approve it with POST /v1/deposits/{id}/approve',
    'no person holds it: it is held for approval_required, and a release does not change that: approve it',
  ],
  [
    'the rule "a" has ended already: give a later end in until',
    'the rule "a" has ended already: give a later end',
  ],
  ['ana has approved it already', 'ana has approved it already'],
])('a refusal names pages and labels, not calls: %s', ([detail, shown]) => {
  expect(inFormWords({ ...CONFLICT, detail })).toEqual({ ...CONFLICT, detail: shown });
});
