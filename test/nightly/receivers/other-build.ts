import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MAIN } from '../../e2e/program.ts';

const PROGRAM = join(MAIN, '../..');

/** A text of the built program, and what another build has there. */
export type Difference = readonly [text: RegExp, instead: (...found: string[]) => string];

/** Counts the number that a text captures one further, wherever the text has it. */
function oneFurther(text: RegExp): Difference {
  return [
    text,
    (found = '', number = '') =>
      found.replaceAll(new RegExp(String.raw`\b${number}\b`, 'g'), String(Number(number) + 1)),
  ];
}

/** Another form of the journal: `JOURNAL_VERSION`, which the build writes out where it is used. */
export const NEXT_JOURNAL_FORM: readonly Difference[] = [
  oneFurther(/version > (\d+)\) return .* made by a newer .*/),
  oneFurther(/version < (\d+)\) return .* made by an earlier .*/),
  oneFurther(/(?<=VALUES \('counterfoil', \$1, \$2\)` \}, )(\d+)/),
];

/**
 * The `main.js` of a copy of the built program with another version, and with these differences. Each
 * must be found in one file, or the copy would be the same build. It is gone when the test ends.
 */
export function otherBuild(version: string, ...differences: readonly Difference[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const filter = (path: string): boolean => !path.endsWith('.map');
  for (const part of ['dist', 'config', 'schema.sql', 'package.json']) {
    cpSync(join(PROGRAM, part), join(folder, part), { recursive: true, filter });
  }
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names
    .filter((name) => /^(?:dist.*\.js|package\.json)$/.test(name))
    .map((name) => join(folder, name));
  for (const difference of [versionOf(version), ...differences]) change(files, difference);
  symlinkSync(join(PROGRAM, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'dist/main.js');
}

function versionOf(version: string): Difference {
  return [/^ {2}"version": ".*?"/m, () => `  "version": "${version}"`];
}

function change(files: readonly string[], [text, instead]: Difference): void {
  const holding = files.filter((file) => text.test(readFileSync(file, 'utf8')));
  const [file] = holding;
  if (file === undefined || holding.length > 1) {
    throw new Error(`${text.source} is in ${holding.length} files of the build`);
  }
  writeFileSync(file, readFileSync(file, 'utf8').replace(text, instead));
}
