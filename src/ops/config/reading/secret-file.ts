import path from 'node:path';
import { readText, unreadableText } from './named-file.ts';
import type { Problem } from './problem.ts';
import { isWithin, pathText } from './problem.ts';

/** Keys that may be given as `<key>File`, and how the file's text becomes the value. */
const SECRETS: Readonly<Record<string, (text: string) => unknown>> = {
  /** One token per line; empty lines and lines beginning with `#` are skipped. */
  pathTokens: (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  sha256: (text) => text.trim(),
  store: (text) => text.trim(),
  secret: (text) => text.trim(),
  webhookUrl: (text) => text.trim(),
  clientSecret: (text) => text.trim(),
};

/** Whether a key can be given as `<key>File` instead. */
export function canComeFromFile(key: string): boolean {
  return Object.hasOwn(SECRETS, key);
}

/** Keys of files with secrets. The SHA-256 of a random token reveals nothing, so it is not one. */
const HOLDS_SECRET: ReadonlySet<string> = new Set([
  'pathTokensFile',
  'storeFile',
  'secretFile',
  'webhookUrlFile',
  'clientSecretFile',
  'privateKeyFile',
  'keyFile',
]);

/** A configured file, with its path in the configuration. */
export interface SecretFile {
  readonly where: string;
  readonly file: string;
}

/** Every file with a secret in a JSON value. */
export function secretFilesOf(json: unknown): SecretFile[] {
  const walk = (value: unknown, at: readonly PropertyKey[]): SecretFile[] => {
    if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, [...at, index]));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, item]) => {
      const here = [...at, key];
      if (typeof item !== 'string') return walk(item, here);
      return HOLDS_SECRET.has(key) ? [{ where: pathText(here), file: item }] : [];
    });
  };
  return walk(json, []);
}

/** A JSON value with the content of its files. */
interface ReadSecrets {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Moves a problem of the value to the key that named the file. */
  readonly asNamed: (problem: Problem) => Problem;
}

/**
 * Replaces every `<key>File` of a JSON value by `<key>` with the file's content. Relative paths
 * begin at `folder`.
 */
export function readSecrets(json: unknown, folder: string): ReadSecrets {
  const problems: Problem[] = [];
  const fromFiles: (readonly PropertyKey[])[] = [];
  const walk = (value: unknown, keyPath: readonly PropertyKey[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...keyPath, index]));
    if (typeof value !== 'object' || value === null) return value;
    const keys = new Set(Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const target = key.endsWith('File') ? key.slice(0, -'File'.length) : '';
        const read = canComeFromFile(target) ? SECRETS[target] : undefined;
        if (read === undefined) return [key, walk(item, [...keyPath, key])];
        return [target, fromFile(item, read, { keyPath, target, keys })];
      }),
    );
  };
  const fromFile = (
    file: unknown,
    read: (text: string) => unknown,
    at: { keyPath: readonly PropertyKey[]; target: string; keys: ReadonlySet<string> },
  ): unknown => {
    const target = [...at.keyPath, at.target];
    const report = (what: string): undefined => {
      problems.push({ path: target, where: pathText([...at.keyPath, `${at.target}File`]), what });
    };
    if (at.keys.has(at.target)) return report(`${at.target} is also given; keep one`);
    if (typeof file !== 'string') return report('must be the path of a file');
    const named = path.resolve(folder, file);
    const content = readText(named);
    if (content.kind === 'unreadable') return report(unreadableText(named, content.reason));
    fromFiles.push(target);
    return read(content.text);
  };
  const asNamed = (problem: Problem): Problem => {
    const from = fromFiles.find((each) => isWithin(problem.path, each));
    if (from === undefined) return problem;
    const within = problem.path.slice(from.length);
    const keyPath = [...from.slice(0, -1), `${String(from.at(-1))}File`, ...within];
    return { ...problem, where: pathText(keyPath) };
  };
  return { value: walk(json, []), problems, asNamed };
}
