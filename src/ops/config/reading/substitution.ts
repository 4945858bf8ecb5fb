import type { Problem } from './problem.ts';
import { pathText } from './problem.ts';

/** `${NAME}`, or `$${` for a literal `${`. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces `${NAME}` in every string of a JSON value by the environment's value. Keys stay
 * unchanged, and values are not substituted again. An unset or empty variable is a problem: an
 * empty secret would look configured.
 */
export function substitute(
  json: unknown,
  env: Environment,
): { value: unknown; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const walk = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value === 'string') return fill(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]),
    );
  };
  const fill = (text: string, path: readonly PropertyKey[]): string =>
    text.replaceAll(REFERENCE, (whole, name: string | undefined) => {
      if (name === undefined) return '${';
      const filled = NAME.test(name) ? env[name] : undefined;
      if (filled !== undefined && filled !== '') return filled;
      problems.push({ path, where: pathText(path), what: whatOf(name, filled) });
      return whole;
    });
  return { value: walk(json, []), problems };
}

function whatOf(name: string, filled: string | undefined): string {
  if (!NAME.test(name)) {
    return `\${${name}} is not the name of an environment variable; write $\${ for a literal \${`;
  }
  const state = filled === undefined ? 'not set' : 'empty';
  return `the environment variable ${name} is ${state}; set it, or write the value in its place`;
}
