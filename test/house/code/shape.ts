import { posix } from 'node:path';
import { isNode, walk } from './syntax.ts';
import type { Module, SyntaxNode } from './syntax.ts';
import type { Violation } from './violation.ts';

/** Code lines of one file: past this another noun is hiding in it. Blank and comment lines are free. */
export const CODE_LINES_MAX = 350;

/** Names that say where code was put instead of what it is, alone or as a part of a name. */
const EMPTY_NAME = /(^|[-_.])(utils?|helpers?|commons?|types?|managers?)([-_.]|$)/i;

/** Code files side by side in one folder: past this they want rooms by subject. */
export const FOLDER_FILES_MAX = 16;

export type ShapeRule = 'barrel' | 'long-file' | 'full-folder' | 'empty-name';

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

/** Folders with too many code files. The golden traces of `test/cases/` are no code. */
function fullFolders(modules: readonly Module[]): Violation<ShapeRule>[] {
  const counts = new Map<string, number>();
  for (const { path } of modules) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([path, count]) => {
      const detail = `${count} files, at most ${FOLDER_FILES_MAX}`;
      return { rule: 'full-folder', path, line: 1, detail };
    });
}

/** What a file's own shape says about it: barrels, length, names; and what its folder's says. */
export function misshapen(modules: readonly Module[]): Violation<ShapeRule>[] {
  const found = fullFolders(modules);
  for (const module of modules) {
    const { path } = module;
    const name = emptyName(path);
    if (name !== undefined) found.push({ rule: 'empty-name', path, line: 1, detail: name });
    if (isBarrel(module)) found.push({ rule: 'barrel', path, line: 1, detail: 'only re-exports' });
    const lines = codeLines(module);
    if (lines > CODE_LINES_MAX) {
      const detail = `${lines} code lines, at most ${CODE_LINES_MAX}`;
      found.push({ rule: 'long-file', path, line: 1, detail });
    }
  }
  return found;
}
