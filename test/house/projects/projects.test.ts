import { expect, test } from 'vitest';
import { GATE, patternsOf, projectsOf } from '../../projects.ts';
import { misplacedTests } from './test-projects.ts';
import { readSources } from '../source.ts';
import { parseModule } from '../code/syntax.ts';
import { spoken } from '../code/violation.ts';

/** What the rule says of files that import these (path → specifiers). */
function misplacedIn(files: Readonly<Record<string, readonly string[]>>): string[] {
  const modules = Object.entries(files).map(([path, specifiers]) => {
    const text = specifiers.map((each) => `import '${each}';\n`).join('');
    const module = parseModule({ path, text });
    if (!('body' in module)) throw new Error(module.message);
    return module;
  });
  return misplacedTests(modules).map(spoken);
}

const paths = readSources('test')
  .map(({ path }) => path)
  .filter((path) => path.endsWith('.test.ts'));

test('every project has tests', () => {
  const own = paths.flatMap(projectsOf);
  expect(new Set([...own, 'shared', 'postgres'])).toEqual(new Set([...GATE, 'nightly']));
});

test.for(['rules', 'programs', 'nightly', 'shared', 'postgres'] as const)(
  'every path that %s lists has tests',
  (name) => {
    const empty = patternsOf(name).filter((pattern) => {
      const folder = pattern.replace('**/*.test.ts', '');
      return !paths.some(
        (path) => path === pattern || (folder !== pattern && path.startsWith(folder)),
      );
    });
    expect(empty).toEqual([]);
  },
);

test('a test of the rules that reaches a server, a thread or a process is misplaced', () => {
  const path = 'test/domain/money/amount.test.ts';
  for (const beyond of ['node:http', 'node:worker_threads', 'node:child_process', 'undici']) {
    expect(misplacedIn({ [path]: ['../../open.ts'], 'test/open.ts': [beyond] })).toEqual([
      `${path}:1 test-project: is in rules and reaches ${beyond} in test/open.ts`,
    ]);
  }
  expect(misplacedIn({ [path]: ['node:fs', 'better-sqlite3', 'node:dns/promises'] })).toHaveLength(
    1,
  );
});

test('a test that starts a process is one of the programs', () => {
  const process = ['node:child_process'];
  expect(misplacedIn({ 'test/api/lists.test.ts': process })).toHaveLength(1);
  expect(misplacedIn({ 'test/api/lists.test.ts': ['node:http'] })).toEqual([]);
  expect(
    misplacedIn({ 'test/e2e/store.test.ts': process, 'test/nightly/x.test.ts': process }),
  ).toEqual([]);
});
