import { posix } from 'node:path';
import { projectsOf } from '../../projects.ts';
import { dependenciesOf } from '../code/syntax.ts';
import type { Module } from '../code/syntax.ts';
import type { Violation } from '../code/violation.ts';

export type ProjectRule = 'test-project';

const PROCESSES = ['node:child_process', 'node:cluster'];

/** What reaches beyond this process; a test of `rules` needs none of it. */
const BEYOND = [
  ...PROCESSES,
  ...['worker_threads', 'http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns'].map(
    (name) => `node:${name}`,
  ),
  'undici',
  '@hono/node-server',
];

/** What a file imports at run time: files as paths from the repository's root, else names. */
function importsOf(module: Module): string[] {
  return dependenciesOf(module)
    .filter(({ kind }) => kind === 'value')
    .map(({ specifier = '' }) =>
      specifier.startsWith('.')
        ? posix.join(posix.dirname(module.path), specifier)
        : specifier.replace(/\/promises$/, ''),
    );
}

/** Every file and name that a file reaches at run time, with the import that led there first. */
function reachedFrom(start: string, imports: ReadonlyMap<string, readonly string[]>) {
  const cameFrom = new Map<string, string>();
  const pending = [start];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const next of imports.get(path) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      pending.push(next);
    }
  }
  return cameFrom;
}

/**
 * Holds every test file to its project: one list names it at most, a test of `rules` reaches nothing
 * beyond this process, and only `programs` and `nightly` start processes.
 */
export function misplacedTests(modules: readonly Module[]): Violation<ProjectRule>[] {
  const imports = new Map(modules.map((module) => [module.path, importsOf(module)]));
  return modules
    .filter(({ path }) => path.endsWith('.test.ts'))
    .flatMap(({ path }) => {
      const [project = 'http', ...more] = projectsOf(path);
      const violation = (detail: string) =>
        ({ rule: 'test-project', path, line: 1, detail }) as const;
      const others = more.map((other) => violation(`is in ${project} and in ${other}`));
      if (project === 'programs' || project === 'nightly') return others;
      const reached = reachedFrom(path, imports);
      const wrong = (project === 'rules' ? BEYOND : PROCESSES)
        .filter((name) => reached.has(name))
        .map((name) => violation(`is in ${project} and reaches ${name} in ${reached.get(name)}`));
      return [...others, ...wrong];
    });
}
