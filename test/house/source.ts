import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One source file: its path from the repository's root with forward slashes, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** The folder that holds package.json: a bench runs from dist-bench/, one floor deeper than here. */
export const REPOSITORY = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above the sources of the tests');
  return rootAbove(parent);
}

const CODE = /\.[cm]?[jt]sx?$/;

/** Every code file below a folder of the repository, by path. A folder that is not there throws. */
export function readSources(folder: 'src' | 'test'): Source[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => CODE.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(REPOSITORY, path), 'utf8') }));
}
