/** No leading zeros: two spellings of one path would be two records of one address. */
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

export function parsePath(path: string): PathLevel[] {
  return path
    .split('/')
    .slice(1)
    .map((level) => ({ index: Number.parseInt(level, 10), hardened: level.endsWith("'") }));
}

/** The same path without hardened levels: all that a public key can derive. */
export function unhardened(path: string): string {
  return path.replaceAll("'", '');
}
