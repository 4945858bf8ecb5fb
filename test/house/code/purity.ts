import { dependenciesOf, isNode, nameOf, nodesIn, walk } from './syntax.ts';
import type { Module, SyntaxNode } from './syntax.ts';
import type { Violation } from './violation.ts';

export type PurityRule =
  'ambient-clock' | 'ambient-randomness' | 'ambient-effect' | 'environment' | 'inexact-number';

interface Finding {
  readonly rule: PurityRule;
  readonly detail: string;
}

/** A use of a name as a value: not a property's name, an object's key or a type. */
interface Use {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
  readonly field: string;
}

/** Globals that reach outside the values a pure rule was given, whatever is done with them. */
const EFFECTS = new Set([
  'process',
  'globalThis',
  'global',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'console',
  'require',
]);

/** Functions of `Date` that depend on their arguments alone. */
const PURE_DATE_FUNCTIONS = new Set(['UTC', 'parse']);

function usesIn(module: Module): Use[] {
  const uses: Use[] = [];
  for (const statement of module.body) {
    walk(statement, (node, parent, field) => {
      const name = node.type === 'Identifier' ? nameOf(node) : undefined;
      if (name === undefined) return;
      const named =
        (field === 'property' && parent?.['computed'] !== true) ||
        (field === 'key' && parent?.['computed'] !== true) ||
        field === 'label' ||
        field === 'typeName' ||
        field === 'imported' ||
        field === 'exported';
      if (!named) uses.push({ name, node, parent, field });
    });
  }
  return uses;
}

/** The property that a use of an object reads; undefined where the object itself is passed on. */
function propertyRead({ parent, field }: Use): string | undefined {
  if (parent?.type !== 'MemberExpression' || field !== 'object') return undefined;
  const property = parent['property'];
  // `process[name]` may read anything, so it counts as passing the object on.
  if (parent['computed'] === true && isNode(property) && property.type !== 'Literal') {
    return undefined;
  }
  return nameOf(property);
}

function impureUse(use: Use): Finding | undefined {
  const { name, parent, field } = use;
  const property = propertyRead(use);
  if (EFFECTS.has(name)) return { rule: 'ambient-effect', detail: name };
  if (name === 'performance') return { rule: 'ambient-clock', detail: name };
  if (name === 'crypto') return { rule: 'ambient-randomness', detail: name };
  if (name === 'Math' && (property === undefined || property === 'random')) {
    return { rule: 'ambient-randomness', detail: property === undefined ? name : 'Math.random' };
  }
  if (name !== 'Date') return undefined;
  const made = parent?.type === 'NewExpression' && field === 'callee';
  const pure =
    (made && nodesIn(parent['arguments']).length > 0) ||
    (property !== undefined && PURE_DATE_FUNCTIONS.has(property));
  if (pure) return undefined;
  const detail = made ? 'new Date()' : property === undefined ? name : `Date.${property}`;
  return { rule: 'ambient-clock', detail };
}

/** Conversions that turn an exact amount into a float, or a float into one that looks exact. */
function inexactUse(use: Use): Finding | undefined {
  const property = propertyRead(use);
  if (use.name === 'parseFloat') return { rule: 'inexact-number', detail: 'parseFloat' };
  if (use.name !== 'Number') return undefined;
  if (property === 'parseFloat') return { rule: 'inexact-number', detail: 'Number.parseFloat' };
  return property === undefined ? { rule: 'inexact-number', detail: 'Number(…)' } : undefined;
}

function inexactNode(node: SyntaxNode): Finding | undefined {
  const { type } = node;
  if (type === 'MemberExpression') {
    const property = nameOf(node['property']);
    return property === 'toFixed' || property === 'toPrecision'
      ? { rule: 'inexact-number', detail: property }
      : undefined;
  }
  if (type === 'UnaryExpression' && node['operator'] === '+') {
    return { rule: 'inexact-number', detail: 'unary plus' };
  }
  const value = type === 'Literal' ? node['value'] : undefined;
  return typeof value === 'number' && !Number.isSafeInteger(value)
    ? { rule: 'inexact-number', detail: `the literal ${String(node['raw'])}` }
    : undefined;
}

function impureDomain(module: Module): Violation<PurityRule>[] {
  const found: Violation<PurityRule>[] = [];
  const add = (finding: Finding | undefined, at: SyntaxNode): void => {
    if (finding === undefined) return;
    found.push({ ...finding, path: module.path, line: module.lineOf(at.start) });
  };
  for (const use of usesIn(module)) add(impureUse(use) ?? inexactUse(use), use.node);
  for (const statement of module.body) walk(statement, (node) => add(inexactNode(node), node));
  return found;
}

/** Only src/main.ts reads the environment and the arguments: everyone else is given values. */
function environmentReads(module: Module): Violation<PurityRule>[] {
  const { path, lineOf } = module;
  const found: Violation<PurityRule>[] = [];
  const add = (detail: string, line: number): void => {
    found.push({ rule: 'environment', path, line, detail });
  };
  for (const { specifier, line } of dependenciesOf(module)) {
    if (specifier === 'node:process' || specifier === 'process') add(`imports ${specifier}`, line);
  }
  for (const use of usesIn(module)) {
    const property = propertyRead(use);
    const line = lineOf(use.node.start);
    if (use.name === 'process') {
      if (property === undefined) add('passes process on', line);
      else if (/^(env|argv|argv0|execArgv)$/.test(property)) add(`process.${property}`, line);
    } else if (use.name === 'globalThis' || use.name === 'global') {
      if (property === undefined || property === 'process') add(`${use.name}.process`, line);
    }
  }
  return found;
}

/** The purity of the domain, and the one reader of the environment, among the files of src/. */
export function impurities(modules: readonly Module[]): Violation<PurityRule>[] {
  return modules.flatMap((module) => [
    ...(module.path.startsWith('src/domain/') ? impureDomain(module) : []),
    ...(module.path === 'src/main.ts' ? [] : environmentReads(module)),
  ]);
}
