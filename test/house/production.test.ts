import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readSources, REPOSITORY, type Source } from './source.ts';
import { dependenciesOf, parseModule } from './code/syntax.ts';

const { optionalDependencies } = z
  .object({ optionalDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(posix.join(REPOSITORY, 'package.json'), 'utf8')));

/** The commands that need the simulated core, and the list that loads each command when called. */
const SIMULATING = ['src/commands/core.ts', 'src/commands/demo/', 'src/commands/catalogue.ts'];

/** Modules by path with what each imports when it runs. */
function importsOf(sources: readonly Source[]): Map<string, string[]> {
  return new Map(
    sources.map((source) => {
      const module = parseModule(source);
      if ('message' in module) throw new Error(`${module.path}: ${module.message}`);
      const imported = dependenciesOf(module).flatMap(({ kind, specifier }) =>
        kind === 'value' && specifier !== undefined ? [specifier] : [],
      );
      const folder = posix.dirname(source.path);
      const resolved = imported.map((one) => (one.startsWith('.') ? posix.join(folder, one) : one));
      return [source.path, resolved];
    }),
  );
}

/** Optional packages that the program needs without its simulated core, each with who imports it. */
function neededInProduction(sources: readonly Source[]): string[] {
  const imports = importsOf(sources);
  const isApart = (path: string): boolean => SIMULATING.some((one) => path.startsWith(one));
  const product = [...imports.keys()].filter((path) => !path.startsWith('src/simulator/'));
  const reached = new Set(product.filter((path) => !isApart(path)));
  // A set grows while it is walked: whatever it is given is walked too.
  for (const path of reached) {
    const next = (imports.get(path) ?? []).filter((one) => imports.has(one) && !isApart(one));
    for (const one of next) reached.add(one);
  }
  return [...reached].flatMap((path) =>
    (imports.get(path) ?? [])
      .filter((one) => packageOf(one) in optionalDependencies)
      .map((one) => `${path} imports ${one}`),
  );
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const sources = readSources('src');

test('nothing but the simulated core needs an optional package', () => {
  expect(existsSync(posix.join(REPOSITORY, 'src/commands/serve.ts'))).toBe(true);
  expect(neededInProduction(sources)).toEqual([]);
});

test.for([
  ['by itself', 'src/api/mail.ts', "import { createTransport } from 'nodemailer';"],
  ['through the simulator', 'src/api/mail.ts', "import '../simulator/mail/smtp-sender.ts';"],
  ['when it is called', 'src/report/hash.ts', "await import('@noble/hashes/sha2.js');"],
] as const)(
  'a module of the product that needs an optional package %s is found',
  ([, path, text]) => {
    expect(neededInProduction([...sources, { path, text }])).not.toEqual([]);
  },
);

test('the simulated core needs every optional package', () => {
  const imported = [...importsOf(sources).values()].flat().map(packageOf);
  expect(Object.keys(optionalDependencies).filter((name) => !imported.includes(name))).toEqual([]);
});
