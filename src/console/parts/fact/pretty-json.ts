const INDENT = '  ';

/** Strings, numbers and words of JSON text, its brackets, commas and colons. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/**
 * JSON text with a line for each member. Only white space changes: reading and writing the values
 * would round large numbers. Text that is not JSON stays as it is.
 */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let [pretty, depth, previous] = ['', 0, ''];
  const line = (): string => `\n${INDENT.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKENS)) {
    const isEmpty = (previous === '{' && token === '}') || (previous === '[' && token === ']');
    if (token === '}' || token === ']') {
      depth -= 1;
      pretty += isEmpty ? token : `${line()}${token}`;
    } else if (token === ',') pretty += token;
    else if (token === ':') pretty += ': ';
    else {
      if (previous === '{' || previous === '[' || previous === ',') pretty += line();
      pretty += token;
      if (token === '{' || token === '[') depth += 1;
    }
    previous = token;
  }
  return pretty;
}
