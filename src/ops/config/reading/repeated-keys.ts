import { pathText, type Problem } from './problem.ts';

/** The object or list that the reader is in, and the position there. */
type Level =
  | { readonly kind: 'object'; readonly keys: Set<string>; key: string; atKey: boolean }
  | { readonly kind: 'list'; index: number };

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/**
 * Keys that occur twice in one object of a JSON text. `JSON.parse` silently takes the last one, so
 * a halt in the first would not apply.
 */
export function repeatedKeys(json: string): Problem[] {
  const problems: Problem[] = [];
  const levels: Level[] = [];
  const noteKey = (level: Extract<Level, { kind: 'object' }>, token: string): void => {
    level.key = String(JSON.parse(token));
    if (level.keys.has(level.key)) {
      const path = levels.map((each) => (each.kind === 'object' ? each.key : each.index));
      problems.push({
        path,
        where: pathText(path),
        what: 'occurs twice in this object; keep one',
      });
    }
    level.keys.add(level.key);
  };
  for (const [token] of json.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ kind: 'object', keys: new Set(), key: '', atKey: true });
    else if (token === '[') levels.push({ kind: 'list', index: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (level?.kind === 'list') level.index += token === ',' ? 1 : 0;
    else if (token === ',' && level !== undefined) level.atKey = true;
    else if (token === ':' && level !== undefined) level.atKey = false;
    else if (level?.atKey === true) noteKey(level, token);
  }
  return problems;
}
