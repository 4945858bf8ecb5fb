/** A problem of the configuration: its path, its text, and the remedy. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** The path as text, e.g. `api.tokens[0].sha256`. */
  readonly where: string;
  /** Never quotes a value: it may be a secret. */
  readonly what: string;
}

/** A path as text, for example `api.tokens[0].sha256`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_]\w*$/.test(String(part)))
      text += `${text === '' ? '' : '.'}${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text === '' ? 'the configuration' : text;
}

/** One line per problem, for a terminal. */
export function problemText(problems: readonly Problem[]): string {
  return problems.map(({ where, what }) => `  ${where}: ${what}`).join('\n');
}

/** Whether `inner` equals `outer` or lies inside it. */
export function isWithin(inner: readonly PropertyKey[], outer: readonly PropertyKey[]): boolean {
  return outer.length <= inner.length && outer.every((part, index) => inner[index] === part);
}
