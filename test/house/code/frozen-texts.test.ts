import { expect, test } from 'vitest';
import { readSources } from '../source.ts';

/**
 * Texts in older words that must never change. They are part of breaks, break histories, quarantined
 * notifications and sealed reports. `verify` and `rebuild` compute them again from the journal: with
 * another text, each store that holds the old one would fail its audit, and each sealed report its
 * hash. State files of the core keep one such word as a key.
 */
const FROZEN: Readonly<Record<string, readonly string[]>> = {
  'src/domain/chain/chain-handler.ts': [
    'was told again with other balance changes; the newest stands',
  ],
  'src/domain/close/difference/explanation.ts': [
    'the chain view was told nothing of it',
    'the other side was told after the cut-off; both agree by now',
  ],
  'src/domain/close/prior-day.ts': ['told after the cut-off'],
  'src/domain/close/difference/verdict.ts': [
    'moved where the chain view was told nothing, and custody did not confirm it',
  ],
  'src/domain/deposit/evaluation.ts': [': attribute it to its owner, or register the memo`'],
  'src/domain/deposit/incoming-handler.ts': [
    'were told again with other amounts; ',
    '} stands`',
    ": when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then`",
  ],
  'src/domain/deposit/record/unseen-comparison.ts': ['that no notification told of'],
  'src/domain/deposit/record/agreed-amount.ts': [
    'mined again, and the custody API confirms it: the credit stands',
    'the custody API confirms the amount that stands',
  ],
  'src/domain/deposit/record/verification.ts': [': mend it with \\`counterfoil subscribe\\`'],
  'src/domain/hash/hash-limits.ts': [
    // The defect of a quarantined notification: the column `quarantine.defect`, and its break.
    'deposits at one place`',
  ],
  'src/domain/withdrawal/outgoing-handler.ts': [
    'was reported mined twice with different balance changes; the first stands',
  ],
  'src/domain/withdrawal/own-hash-handler.ts': [
    'its deposits were held for internal and are judged anew',
  ],
  'src/domain/withdrawal/record-handler.ts': [
    'and the custody API does not: its deposits were held for internal and are judged anew',
    'notifications tell of own transaction ',
    'it may be forged, and what was posted for it is taken back',
  ],
  'src/store/bookkeeping/bookkeeper.ts': [
    'arrived again with another body: the first stands, the second is kept as ',
  ],
  // The reason of a policy whose fact has none.
  'src/store/codec/fact.ts': ["'the configuration says so'"],
  'src/simulator/chain/chain-stream.ts': ["const LAST_REPORT = 'told';"],
};

const TEXT_OF = new Map(readSources('src').map(({ path, text }) => [path, text]));

test.for(Object.entries(FROZEN))('%s keeps the texts that old stores hold', ([path, texts]) => {
  expect(texts.filter((text) => TEXT_OF.get(path)?.includes(text) !== true)).toEqual([]);
});

/** Words that no text or comment of the product may bring back. `tell` is also an everyday word. */
const GONE = /\b(told|unsettled|deposits at one place)\b/giu;

/** The words of `GONE` in a file, outside its frozen texts. */
function goneWordsIn(path: string, text: string): string[] {
  const frozen = FROZEN[path] ?? [];
  const rest = frozen.reduce((left, one) => left.replaceAll(one, ''), text);
  return [...rest.matchAll(GONE)].map(([word]) => `${path}: ${word}`);
}

test('no other text of the product says `told`, `unsettled` or `place` for a position', () => {
  expect([...TEXT_OF].flatMap(([path, text]) => goneWordsIn(path, text))).toEqual([]);
});

test.for<[path: string, text: string, word: string]>([
  ['src/console/deposits/timeline.ts', "export const a = 'The custody API told it';", 'told'],
  ['src/domain/close/prior-day.ts', "const a = 'told after the cut-off'; // untold, told", 'told'],
  ['src/reconcile/sweep/whole-list.ts', '/** Unsettled movements. */', 'Unsettled'],
])('%s may not say: %s', ([path, text, word]) => {
  expect(goneWordsIn(path, text)).toEqual([`${path}: ${word}`]);
});
