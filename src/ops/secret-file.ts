import { unreadableText } from './named-file.ts';
import type { Problem } from './problem.ts';
import { placeOf } from './problem.ts';

/** Reads a file as text; relative paths are the caller's to resolve. */
export type ReadText = (
  file: string,
) => { kind: 'ok'; text: string } | { kind: 'unreadable'; reason: string };

/** Keys that may be given as `<key>File` instead, and how the file's text becomes their value. */
const SECRETS: Readonly<Record<string, (text: string) => unknown>> = {
  /** One token per line; empty lines, and lines that begin with `#`, are left out. */
  pathTokens: (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  sha256: (text) => text.trim(),
  store: (text) => text.trim(),
  webhookUrl: (text) => text.trim(),
};

/** Keys of files that hold what nobody else may read: of a random token the SHA-256 tells nothing. */
const HOLDS_SECRET: ReadonlySet<string> = new Set([
  'pathTokensFile',
  'storeFile',
  'webhookUrlFile',
  'privateKeyFile',
  'keyFile',
]);

/** A file that a configuration names, as it names it, and the place where it does. */
export interface SecretFile {
  readonly where: string;
  readonly file: string;
}

/** Every file of a JSON value that holds a secret. */
export function secretFilesOf(json: unknown): SecretFile[] {
  const walk = (value: unknown, path: readonly PropertyKey[]): SecretFile[] => {
    if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, item]) => {
      const here = [...path, key];
      if (typeof item !== 'string') return walk(item, here);
      return HOLDS_SECRET.has(key) ? [{ where: placeOf(here), file: item }] : [];
    });
  };
  return walk(json, []);
}

/** Replaces every `<key>File` of a JSON value by `<key>` with the content of the file. */
export function readSecrets(
  json: unknown,
  readText: ReadText,
): { value: unknown; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const walk = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    const keys = new Set(Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const target = key.endsWith('File') ? key.slice(0, -'File'.length) : '';
        const read = Object.hasOwn(SECRETS, target) ? SECRETS[target] : undefined;
        if (read === undefined) return [key, walk(item, [...path, key])];
        return [target, fromFile(item, read, { path, target, keys })];
      }),
    );
  };
  const fromFile = (
    file: unknown,
    read: (text: string) => unknown,
    at: { path: readonly PropertyKey[]; target: string; keys: ReadonlySet<string> },
  ): unknown => {
    const path = [...at.path, `${at.target}File`];
    const report = (what: string): undefined => {
      problems.push({ path: [...at.path, at.target], where: placeOf(path), what });
    };
    if (at.keys.has(at.target)) return report(`${at.target} is given too; keep one of the two`);
    if (typeof file !== 'string') return report('must be the path of a file');
    const content = readText(file);
    if (content.kind === 'ok') return read(content.text);
    return report(unreadableText(file, content.reason));
  };
  return { value: walk(json, []), problems };
}
