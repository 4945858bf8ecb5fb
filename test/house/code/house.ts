import { brokenArrows } from './arrows.ts';
import type { ArrowRule } from './arrows.ts';
import { missingDocstrings } from './docstrings.ts';
import type { DocstringRule } from './docstrings.ts';
import { impurities } from './purity.ts';
import type { PurityRule } from './purity.ts';
import { misshapen } from './shape.ts';
import type { ShapeRule } from './shape.ts';
import type { Source } from '../source.ts';
import { parseModule } from './syntax.ts';
import type { Module } from './syntax.ts';
import { misplacedTests } from '../projects/test-projects.ts';
import type { ProjectRule } from '../projects/test-projects.ts';
import type { Violation } from './violation.ts';
import { dissolvedTestWords, dissolvedWords } from './words.ts';
import type { WordRule } from './words.ts';

export type HouseRule =
  | ArrowRule
  | PurityRule
  | ShapeRule
  | ProjectRule
  | WordRule
  | DocstringRule
  | 'nothing-read'
  | 'unreadable';

/**
 * Holds sources against every rule of the house. A run that read nothing below src/, or could not
 * read a file, has checked nothing there, and says so as a violation.
 */
export function houseViolations(sources: readonly Source[]): Violation<HouseRule>[] {
  const found: Violation<HouseRule>[] = [];
  const modules: Module[] = [];
  for (const source of sources) {
    const parsed = parseModule(source);
    if ('body' in parsed) modules.push(parsed);
    else found.push({ rule: 'unreadable', path: source.path, line: 1, detail: parsed.message });
  }
  const product = modules.filter(({ path }) => path.startsWith('src/'));
  if (product.length === 0) {
    found.push({
      rule: 'nothing-read',
      path: 'src',
      line: 1,
      detail: 'no file below src/ was read',
    });
  }
  return [
    ...found,
    ...brokenArrows(product),
    ...impurities(product),
    ...misshapen(modules),
    ...missingDocstrings(product),
    ...misplacedTests(modules),
    ...dissolvedWords(product),
    ...dissolvedTestWords(modules),
  ];
}
