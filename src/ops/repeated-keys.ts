import { placeOf, type Problem } from './problem.ts';

/** An object that is being read, or a list; and where in it the reading is. */
type Level =
  | { readonly kind: 'object'; readonly keys: Set<string>; key: string; atKey: boolean }
  | { readonly kind: 'list'; index: number };

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/**
 * Keys that stand twice in one object of a text that is JSON. `JSON.parse` takes the last of them
 * without a word: a halt that stands in the first would be none.
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
        where: placeOf(path),
        what: 'is given twice in this object; keep one of the two',
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
