import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './source.ts';

/** What the tests' configuration consists of. */
export const VITEST_FILES = [
  'test/vitest.config.ts',
  'test/long-files-first.ts',
  'test/projects.ts',
  'test/tally-reporter.ts',
  'src/commands/demo/postgres/installation.ts',
] as const;

/**
 * A small project in a folder of its own that lives by this repository's own configuration files
 * and installed packages, so that a tool can be shown to trip over what is planted there.
 */
export interface PlantedProject {
  readonly folder: string;
  readonly remove: () => void;
}

/** Plants files (path → text) beside copies of the named configuration files. */
export function plant(
  files: Readonly<Record<string, string>>,
  configuration: readonly string[],
): PlantedProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'counterfoil-plant-')));
  for (const name of configuration) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(REPOSITORY, name), join(folder, name));
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
