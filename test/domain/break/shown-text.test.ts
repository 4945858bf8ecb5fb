import { expect, test } from 'vitest';
import { breakText, sealedText, shownText } from '../../../src/domain/break/shown-text.ts';

test.for([
  [
    'deposit of 100 ripple:XRP with memo "2002" that is not registered: attribute it to its owner, or register the memo',
    'deposit of 100 ripple:XRP with memo "2002" that is not registered: name its owner, and register the memo for later payments',
  ],
  [
    'deposit of 100 ripple:XRP with no memo: attribute it to its owner, or register the memo',
    'deposit of 100 ripple:XRP with no memo: name its owner',
  ],
  [
    'deposit of 100 ripple:XRP with memo " with no memo" that is not registered: attribute it to its owner, or register the memo',
    'deposit of 100 ripple:XRP with memo " with no memo" that is not registered: name its owner, and register the memo for later payments',
  ],
  ['books say 3, the chain says 4', 'books say 3, the chain says 4'],
] as const)('a memo that belongs to nobody asks for its owner: %s', ([stored, shown]) => {
  expect(shownText(stored)).toBe(shown);
});

test.for([
  [
    "credit of 100 ripple:XRP rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then",
    "credit of 100 ripple:XRP rolled back: the feed reversed the credit; recover it from the customer's balance",
  ],
  ['books say 3, the chain says 4', 'books say 3, the chain says 4'],
] as const)('a reversed credit promises no reversal any more: %s', ([stored, shown]) => {
  expect(breakText({ detail: stored, state: 'open', reversal: {} })).toBe(shown);
  expect(breakText({ detail: stored, state: 'open', reversal: null })).toBe(stored);
});

test.for([
  [
    "credit of 100 ripple:XRP rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then",
    'credit of 100 ripple:XRP rolled back',
  ],
  [
    'deposit of 100 ripple:XRP with memo "2002" that is not registered: attribute it to its owner, or register the memo',
    'deposit of 100 ripple:XRP with memo "2002" that is not registered',
  ],
  ['books say 3, the chain says 4', 'books say 3, the chain says 4'],
] as const)('a resolved break asks for nothing any more: %s', ([stored, shown]) => {
  expect(breakText({ detail: stored, state: 'resolved', reversal: null })).toBe(shown);
});

test('a resolved break says that the feed reversed its credit', () => {
  const detail =
    "100 rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then";
  expect(breakText({ detail, state: 'resolved', reversal: {} })).toBe(
    '100 rolled back: the feed reversed the credit',
  );
});

test.for([
  [
    "100 rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then",
    '100 rolled back: the page of the break says whether the feed has reversed the credit since',
  ],
  [
    'deposit of 100 ripple:XRP with no memo: attribute it to its owner, or register the memo',
    'deposit of 100 ripple:XRP with no memo: name its owner',
  ],
  ['books say 3, the chain says 4', 'books say 3, the chain says 4'],
] as const)('a sealed report does not know what happened since: %s', ([stored, shown]) => {
  expect(sealedText(stored)).toBe(shown);
});
