import path from 'node:path';
import { parseConfig } from '../config.ts';
import type { Parsed, Part } from '../config.ts';
import { fileChecks, isWrongPath, readText, unreadable, type KeyFlaw } from './named-file.ts';
import { isWithin } from './problem.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { readSecrets, secretFilesOf } from './secret-file.ts';
import type { SecretFile } from './secret-file.ts';
import { substitute } from './substitution.ts';
import type { Environment } from './substitution.ts';

/** A configuration, and the files (absolute paths) of its secrets. */
export type Loaded<Value> =
  | (Extract<Parsed<Value>, { kind: 'ok' }> & { readonly secretFiles: readonly SecretFile[] })
  | Extract<Parsed<Value>, { kind: 'invalid' }>;

/**
 * Reads a part of the configuration: a JSON file with `${NAME}` from `env` and `<key>File` from
 * files, checked as a whole. Reports all problems of the part at once, and ignores keys of other
 * parts. Relative paths begin at the file's folder.
 */
export function loadConfig<Value>(options: {
  file: string;
  env: Environment;
  part: Part<Value>;
  keyFlaw: KeyFlaw;
}): Loaded<Value> {
  const { part } = options;
  const file = path.resolve(options.file);
  const folder = path.dirname(file);
  const content = readText(file);
  if (content.kind === 'unreadable') {
    const { reason } = content;
    const first = isWrongPath(reason) ? '' : 'check its permissions, or ';
    return whole(`${unreadable(file, reason)}; ${first}give another one with --config`);
  }
  // Some editors write an invisible byte order mark.
  const text = content.text.replace(/^\u{feff}/u, '');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return whole(`${file} is not JSON: ${syntaxText(error, text)}`);
  }
  const twice = repeatedKeys(text).filter(({ path: [key] }) => belongs(String(key), part.keys));
  const substituted = substitute(only(json, part.keys), options.env);
  const read = readSecrets(substituted.value, folder);
  const parsed = parseConfig(read.value, { part, folder, checks: fileChecks(options.keyFlaw) });
  const first = [...twice, ...substituted.problems, ...read.problems];
  if (parsed.kind === 'ok' && first.length === 0) {
    const named = secretFilesOf(substituted.value);
    const secretFiles = named.map((one) => ({ ...one, file: path.resolve(folder, one.file) }));
    return { ...parsed, secretFiles };
  }
  // A problem caused by a missing variable or file is reported once, by its cause.
  const own = (parsed.kind === 'ok' ? [] : parsed.problems).filter(
    (problem) => !first.some((cause) => isWithin(problem.path, cause.path)),
  );
  return { kind: 'invalid', problems: [...first, ...own.map(read.asNamed)] };
}

function only(json: unknown, keys: readonly string[] | null): unknown {
  if (keys === null || typeof json !== 'object' || json === null || Array.isArray(json))
    return json;
  return Object.fromEntries(Object.entries(json).filter(([key]) => belongs(key, keys)));
}

function belongs(key: string, keys: readonly string[] | null): boolean {
  return keys === null || keys.includes(key);
}

function whole(what: string): Loaded<never> {
  return { kind: 'invalid', problems: [{ path: [], where: 'the configuration', what }] };
}

/** Only the position: the engine's message quotes text around the error, which may be a secret. */
function syntaxText(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  const end = text.trimEnd().length;
  if (end === 0) return 'the file is empty';
  if (message.startsWith('Unexpected end') || position >= end) {
    return `it ends at line ${linesOf(text.slice(0, end)).length}, before its last brace or quote`;
  }
  if (text[position] === '/' || message.startsWith("Unexpected token '/'")) {
    return `JSON has no comments${Number.isNaN(position) ? '' : `: ${lineAndColumn(text, position)}`}`;
  }
  if (Number.isNaN(position)) return message.split(',')[0] ?? 'not readable';
  const isAfterComma = text.slice(0, position).trimEnd().endsWith(',');
  return isAfterComma && text[position] === '}'
    ? `a comma too many before the brace at ${lineAndColumn(text, position)}`
    : `a mistake at ${lineAndColumn(text, position)}`;
}

function linesOf(text: string): string[] {
  return text.split('\n');
}

function lineAndColumn(text: string, position: number): string {
  const before = linesOf(text.slice(0, position));
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
