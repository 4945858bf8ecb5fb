import { expect, test } from 'vitest';
import { inFormWords } from '../../../src/console/frame/form-words.ts';

const NOT_VALID = { status: 400, title: 'The request is not valid' };
const DOCS = 'See /docs for what this call takes.';

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

test('a refusal of another kind stays as it is', () => {
  const refused = {
    status: 409,
    title: 'Conflicts with the current state',
    detail: 'ana has approved it already: a second approval needs another person',
  };
  expect(inFormWords(refused)).toEqual(refused);
});
