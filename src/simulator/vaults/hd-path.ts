/** No leading zeros, or one address could have two records under two spellings of its path. */
const PATH = /^m(\/(0|[1-9][0-9]{0,9})'?)+$/;
const HARDENED_OFFSET = 2 ** 31;
const LEVELS_MAX = 10;

export interface PathLevel {
  index: number;
  hardened: boolean;
}

/** Whether `text` is an HD path such as `m/44'/60'/0'/0/7`. */
export function isPath(text: string): boolean {
  return (
    PATH.test(text) &&
    parsePath(text).length <= LEVELS_MAX &&
    parsePath(text).every((level) => level.index < HARDENED_OFFSET)
  );
}

/** Splits an HD path into its levels. The path must be valid (`isPath`). */
export function parsePath(path: string): PathLevel[] {
  return path
    .split('/')
    .slice(1)
    .map((level) => ({ index: Number.parseInt(level, 10), hardened: level.endsWith("'") }));
}

/** Removes the hardened marks: a public key can derive only unhardened levels. */
export function unhardened(path: string): string {
  return path.replaceAll("'", '');
}
