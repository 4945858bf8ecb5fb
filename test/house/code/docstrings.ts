import { isNode, nameOf, nodesIn } from './syntax.ts';
import type { Module, SyntaxNode } from './syntax.ts';
import type { Violation } from './violation.ts';

export type DocstringRule = 'no-docstring';

/** The functions that a statement exports: declared, or held by a constant. */
function exportedFunctions(statement: SyntaxNode): string[] {
  const { type, declaration } = statement;
  if (type !== 'ExportNamedDeclaration' || !isNode(declaration)) return [];
  if (declaration.type === 'FunctionDeclaration') return [nameOf(declaration['id']) ?? ''];
  return nodesIn(declaration['declarations'])
    .filter(({ init }) => isNode(init) && /^(ArrowFunction|Function)Expression$/.test(init.type))
    .map(({ id }) => nameOf(id) ?? '');
}

/** Finds exported functions without a docstring directly above them. */
export function missingDocstrings(product: readonly Module[]): Violation<DocstringRule>[] {
  const found: Violation<DocstringRule>[] = [];
  for (const { path, text, body, lineOf } of product) {
    for (const statement of body) {
      const names = exportedFunctions(statement);
      if (names.length === 0) continue;
      if (text.slice(0, statement.start).trimEnd().endsWith('*/')) continue;
      const detail = `${names.join(', ')}: say what it does, its units and its errors`;
      found.push({ rule: 'no-docstring', path, line: lineOf(statement.start), detail });
    }
  }
  return found;
}
