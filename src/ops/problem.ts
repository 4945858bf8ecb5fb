/** Something wrong with the configuration: where it is, what it is, and what to do. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** The path as text, e.g. `api.tokens[0].sha256`. */
  readonly where: string;
  /** Never quotes a value: it may be a secret. */
  readonly what: string;
}

export function placeOf(path: readonly PropertyKey[]): string {
  let place = '';
  for (const part of path) {
    if (typeof part === 'number') place += `[${part}]`;
    else if (/^[A-Za-z_]\w*$/.test(String(part)))
      place += `${place === '' ? '' : '.'}${String(part)}`;
    else place += `[${JSON.stringify(String(part))}]`;
  }
  return place === '' ? 'the configuration' : place;
}

/** One line per problem, for a terminal. */
export function problemText(problems: readonly Problem[]): string {
  return problems.map(({ where, what }) => `  ${where}: ${what}`).join('\n');
}

/** Is `inner` the place of `outer`, or inside it? */
export function isWithin(inner: readonly PropertyKey[], outer: readonly PropertyKey[]): boolean {
  return outer.length <= inner.length && outer.every((part, index) => inner[index] === part);
}
