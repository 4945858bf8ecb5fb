import { isNode, walk } from './syntax.ts';
import type { Module, SyntaxNode } from './syntax.ts';
import type { Violation } from './violation.ts';

/** Code lines of one file: past this another noun is hiding in it. Blank and comment lines are free. */
export const CODE_LINES_MAX = 350;

/** Names that say where code was put instead of what it is, alone or as a part of a name. */
const EMPTY_NAME = /(^|[-_.])(utils?|helpers?|commons?|types?|managers?)([-_.]|$)/i;

export type ShapeRule = 'barrel' | 'long-file' | 'empty-name';

/** Lines that hold code: where a node begins or ends, and each line of a template's text. */
export function codeLines(module: Module): number {
  const lines = new Set<number>();
  for (const statement of module.body) {
    walk(statement, (node) => {
      const first = module.lineOf(node.start);
      const last = module.lineOf(Math.max(node.start, node.end - 1));
      lines.add(first).add(last);
      if (node.type !== 'TemplateElement') return;
      for (let line = first; line < last; line += 1) lines.add(line);
    });
  }
  return lines.size;
}

/** Whether a statement only carries names through: an import, or an export of another's names. */
function carriesOnly(statement: SyntaxNode): boolean {
  return (
    statement.type === 'ImportDeclaration' ||
    statement.type === 'ExportAllDeclaration' ||
    (statement.type === 'ExportNamedDeclaration' && !isNode(statement['declaration']))
  );
}

function isBarrel({ body }: Module): boolean {
  return (
    body.every(carriesOnly) && body.some((statement) => statement.type !== 'ImportDeclaration')
  );
}

/** Folders and the file, each without its extension. */
function emptyName(path: string): string | undefined {
  return path.split('/').find((part) => EMPTY_NAME.test(part.replace(/\.[^.]+$/, '')));
}

/** What a file's own shape says about it: barrels, length, names. */
export function misshapen(modules: readonly Module[]): Violation<ShapeRule>[] {
  const found: Violation<ShapeRule>[] = [];
  for (const module of modules) {
    const { path } = module;
    const name = emptyName(path);
    if (name !== undefined) found.push({ rule: 'empty-name', path, line: 1, detail: name });
    if (isBarrel(module)) found.push({ rule: 'barrel', path, line: 1, detail: 'only re-exports' });
    const lines = path.startsWith('src/') ? codeLines(module) : 0;
    if (lines > CODE_LINES_MAX) {
      const detail = `${lines} code lines, at most ${CODE_LINES_MAX}`;
      found.push({ rule: 'long-file', path, line: 1, detail });
    }
  }
  return found;
}
