import { parseAst } from 'vitest/node';
import type { Source } from '../source.ts';

/** A node of the ESTree that the parser gives; `start` and `end` are offsets into the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A file that parsed. `lineOf` gives the 1-based line of an offset. */
export interface Module {
  readonly path: string;
  readonly text: string;
  readonly body: readonly SyntaxNode[];
  readonly lineOf: (offset: number) => number;
}

/** A file that did not parse: it was not checked, so it must be reported. */
export interface Unreadable {
  readonly path: string;
  readonly message: string;
}

/**
 * A dependency as the file states it. `type` leaves no trace at run time; an inline
 * `import { type A }` does (verbatimModuleSyntax), so it is a `value`. `specifier` is undefined
 * when it is computed, and then nothing can be said about where the arrow points.
 */
export interface Dependency {
  readonly specifier: string | undefined;
  readonly kind: 'value' | 'type';
  readonly line: number;
}

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value &&
    typeof value.start === 'number' &&
    'end' in value &&
    typeof value.end === 'number'
  );
}

export function nodesIn(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text of a string literal; undefined for whatever is computed. */
function textOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Literal' && typeof value['value'] === 'string'
    ? value['value']
    : undefined;
}

/** The name of an identifier or the text of a string literal. */
export function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' && typeof value['name'] === 'string'
    ? value['name']
    : textOf(value);
}

/** Calls `enter` on every node below and including `root`, with its parent and its field there. */
export function walk(
  root: SyntaxNode,
  enter: (node: SyntaxNode, parent: SyntaxNode | undefined, field: string) => void,
): void {
  const pending: { node: SyntaxNode; parent: SyntaxNode | undefined; field: string }[] = [
    { node: root, parent: undefined, field: '' },
  ];
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    const { node } = step;
    enter(node, step.parent, step.field);
    for (const [field, value] of Object.entries(node)) {
      for (const child of isNode(value) ? [value] : nodesIn(value)) {
        pending.push({ node: child, parent: node, field });
      }
    }
  }
}

export function parseModule(source: Source): Module | Unreadable {
  const starts = [0];
  for (let at = source.text.indexOf('\n'); at >= 0; at = source.text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  const lineOf = (offset: number): number => {
    const after = starts.findIndex((start) => start > offset);
    return after < 0 ? starts.length : after;
  };
  try {
    const lang = source.path.endsWith('x') ? 'tsx' : 'ts';
    // The parser that vitest brings: TypeScript 7 has no stable one. vitest/node has only this entry.
    // oxlint-disable-next-line typescript/no-deprecated
    const program: unknown = parseAst(source.text, { lang }, source.path);
    if (!isNode(program)) return { path: source.path, message: 'the parser gave no program' };
    return { ...source, body: nodesIn(program['body']), lineOf };
  } catch (error) {
    return { path: source.path, message: error instanceof Error ? error.message : String(error) };
  }
}

const STATED = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);

/** Every dependency that a file states, in whatever form the language allows. */
export function dependenciesOf(module: Module): Dependency[] {
  const found: Dependency[] = [];
  const add = (node: SyntaxNode, from: unknown, kind: 'value' | 'type'): void => {
    found.push({ specifier: textOf(from), kind, line: module.lineOf(node.start) });
  };
  for (const statement of module.body) {
    walk(statement, (node) => {
      if (STATED.has(node.type) && isNode(node['source'])) {
        const typeOnly = node['importKind'] === 'type' || node['exportKind'] === 'type';
        add(node, node['source'], typeOnly ? 'type' : 'value');
      } else if (node.type === 'ImportExpression') {
        add(node, node['source'], 'value');
      } else if (node.type === 'TSImportType') {
        add(node, node['source'] ?? node['argument'], 'type');
      } else if (node.type === 'TSExternalModuleReference') {
        add(node, node['expression'], 'value');
      } else if (node.type === 'CallExpression' && nameOf(node['callee']) === 'require') {
        add(node, nodesIn(node['arguments'])[0], 'value');
      }
    });
  }
  return found;
}
