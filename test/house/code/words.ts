import { walk } from './syntax.ts';
import type { Module } from './syntax.ts';
import type { Violation } from './violation.ts';

export type WordRule = 'dissolved-word';

/**
 * Words that had several meanings each, with the words that replace them. CONTRIBUTING.md,
 * Vocabulary, gives the one meaning of each replacement.
 */
const DISSOLVED = {
  circumstances: 'rule context',
  crowd: 'limit',
  crowded: 'limit',
  decide: 'handle',
  decides: 'handle',
  desk: 'handler',
  dossier: 'hash state',
  dossiers: 'hash state',
  place: 'position, vault and asset, cursor or index',
  placed: 'position, vault and asset, cursor or index',
  places: 'position, vault and asset, cursor or index',
  restate: 'post again',
  restated: 'post again',
  restates: 'post again',
  settle: 'evaluate',
  settled: 'evaluated',
  settles: 'evaluate',
  standing: 'certainty, agreement, knowledge or active',
  stands: 'is active',
  tell: 'report',
  teller: 'source',
  tells: 'report',
  told: 'source, claimed or reported',
  untold: 'without a chain view',
} as const satisfies Record<string, string>;

/** Members of the sealed report, whose text never changes. */
const SEALED_NAMES = new Set(['untold', 'chainUntold', 'chain_not_told']);

/** A column, and a published state of deposits: old stores and other programs name them so. */
const PUBLISHED_NAMES = new Set(['standing', 'settled']);

/** `chainUntold` is `chain` and `untold`. */
function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** Finds identifiers that hold a dissolved word. The domain holds no published name either. */
export function dissolvedWords(product: readonly Module[]): Violation<WordRule>[] {
  const found: Violation<WordRule>[] = [];
  for (const { path, body, lineOf } of product) {
    for (const statement of body) {
      walk(statement, ({ type, name, start }) => {
        if (!/^(Private)?Identifier$/.test(type) || typeof name !== 'string') return;
        if (SEALED_NAMES.has(name)) return;
        if (PUBLISHED_NAMES.has(name) && !path.startsWith('src/domain/')) return;
        for (const word of wordsOf(name)) {
          if (!Object.hasOwn(DISSOLVED, word)) continue;
          const instead = DISSOLVED[word as keyof typeof DISSOLVED];
          const detail = `${name}: use a word for ${instead}`;
          found.push({ rule: 'dissolved-word', path, line: lineOf(start), detail });
        }
      });
    }
  }
  return found;
}
