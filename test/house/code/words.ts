import { nameOf, nodesIn, isNode, walk } from './syntax.ts';
import type { Module, SyntaxNode } from './syntax.ts';
import type { Violation } from './violation.ts';

export type WordRule = 'dissolved-word';

/**
 * Words that had several meanings each, with the words that replace them. CONTRIBUTING.md,
 * Vocabulary, gives the one meaning of each replacement.
 */
const DISSOLVED: ReadonlyMap<string, string> = new Map([
  ['circumstances', 'rule context'],
  ['crowd', 'limit'],
  ['crowded', 'limit'],
  ['decide', 'handle'],
  ['decides', 'handle'],
  ['desk', 'handler'],
  ['dossier', 'hash state'],
  ['dossiers', 'hash state'],
  ['place', 'position, vault and asset, cursor or index'],
  ['placed', 'position, vault and asset, cursor or index'],
  ['places', 'position, vault and asset, cursor or index'],
  ['restate', 'post again'],
  ['restated', 'post again'],
  ['restates', 'post again'],
  ['settle', 'evaluate'],
  ['settled', 'evaluated'],
  ['settles', 'evaluate'],
  ['standing', 'certainty, agreement, knowledge or active'],
  ['standings', 'certainty, agreement, knowledge or active'],
  ['stands', 'is active'],
  ['tell', 'report'],
  ['teller', 'source'],
  ['tells', 'report'],
  ['told', 'source, claimed or reported'],
  ['unsettled', 'unconfirmed'],
  ['untold', 'without a chain view'],
  ['waiting', 'queued, pending or unconfirmed; only a deposit is waiting'],
]);

/**
 * Members of the sealed report, whose text never changes. Texts of breaks and reports never change
 * either: `frozen-texts.test.ts` names those in older words.
 */
const SEALED_NAMES = new Set(['untold', 'chainUntold', 'chain_not_told']);

/** A published state of deposits: other programs name it so. */
const PUBLISHED_NAMES = new Set(['settled']);

/** `/readyz` publishes the length of the queue of facts as `waiting`. */
const NAMES_QUEUE_LENGTH = /^(src\/api\/health|src\/daemon\/routes|test\/api\/.*)\.ts$/;

/** `chainUntold` is `chain` and `untold`. */
function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

/**
 * The dissolved words in a text. `allowed`: words that have one meaning there. A deposit may be
 * waiting: the custody API must still verify it.
 */
function dissolvedIn(text: string, allowed: ReadonlySet<string> = new Set()): string[] {
  const words = wordsOf(text);
  const isDeposit = words.some((word) => /^deposits?$/.test(word));
  return words.filter(
    (word) => DISSOLVED.has(word) && !allowed.has(word) && !(isDeposit && word === 'waiting'),
  );
}

function violation(
  { path, line }: { path: string; line: number },
  text: string,
  word: string,
): Violation<WordRule> {
  const detail = `${text}: use a word for ${DISSOLVED.get(word)}`;
  return { rule: 'dissolved-word', path, line, detail };
}

/** The name of an identifier that this file chose. */
function chosenName({ type, name }: SyntaxNode, path: string): string | undefined {
  if (!/^(Private)?Identifier$/.test(type) || typeof name !== 'string') return undefined;
  if (SEALED_NAMES.has(name) || name === 'allSettled') return undefined;
  if (name === 'waiting' && NAMES_QUEUE_LENGTH.test(path)) return undefined;
  return PUBLISHED_NAMES.has(name) && !path.startsWith('src/domain/') ? undefined : name;
}

/** The dissolved words in a file's name and in those of its folders. */
function inPath(path: string): Violation<WordRule>[] {
  return dissolvedIn(path).map((word) => violation({ path, line: 1 }, path, word));
}

/**
 * Finds identifiers and file names that hold a dissolved word. The domain holds no published name
 * either.
 */
export function dissolvedWords(product: readonly Module[]): Violation<WordRule>[] {
  const found: Violation<WordRule>[] = [];
  for (const { path, body, lineOf } of product) {
    found.push(...inPath(path));
    for (const statement of body) {
      walk(statement, (node) => {
        const name = chosenName(node, path);
        if (name === undefined) return;
        for (const word of dissolvedIn(name)) {
          found.push(violation({ path, line: lineOf(node.start) }, name, word));
        }
      });
    }
  }
  return found;
}

/** A person decides; tests record such decisions. */
const WORDS_OF_PEOPLE = new Set(['decide', 'decides']);

/** A title may also say that somebody goes on waiting. */
const WORDS_OF_TITLES = new Set([...WORDS_OF_PEOPLE, 'waiting']);

/** The title of a call of `test` or `describe`, whatever modifies it: `test.for(rows)('title')`. */
function titleOf(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  let callee = node['callee'];
  while (isNode(callee) && callee.type !== 'Identifier') {
    callee = callee.type === 'CallExpression' ? callee['callee'] : callee['object'];
  }
  if (!/^(test|describe)$/.test(nameOf(callee) ?? '')) return undefined;
  const [first] = nodesIn(node['arguments']);
  if (first?.type === 'Literal') return nameOf(first);
  if (first?.type !== 'TemplateLiteral') return undefined;
  const texts = nodesIn(first['quasis']).map(({ value }) => (value as { raw: string }).raw);
  return texts.join('…');
}

/** Names in back quotes are those of the product. */
function withoutQuoted(title: string): string {
  return title.replaceAll(/`[^`]*`/g, '');
}

/** Finds dissolved words in the identifiers, file names and titles of tests. */
export function dissolvedTestWords(tests: readonly Module[]): Violation<WordRule>[] {
  const found: Violation<WordRule>[] = [];
  for (const { path, body, lineOf } of tests) {
    if (!path.startsWith('test/')) continue;
    found.push(...inPath(path));
    for (const statement of body) {
      walk(statement, (node) => {
        const name = chosenName(node, path);
        const text = name ?? titleOf(node);
        if (text === undefined) return;
        const allowed = name === undefined ? WORDS_OF_TITLES : WORDS_OF_PEOPLE;
        for (const word of dissolvedIn(withoutQuoted(text), allowed)) {
          found.push(violation({ path, line: lineOf(node.start) }, text, word));
        }
      });
    }
  }
  return found;
}
