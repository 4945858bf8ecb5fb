import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { plant } from './plant.ts';
import { REPOSITORY, readSources } from './source.ts';

const OXLINT = join(REPOSITORY, 'node_modules/.bin/oxlint');

const report = z.object({
  number_of_files: z.int(),
  diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })),
});

/** Lints planted sources with the repository's own configuration, as `npm run check:lint` does. */
function lint(files: Readonly<Record<string, string>>): { status: number | null; output: string } {
  const { folder, remove } = plant(files, ['.oxlintrc.json', 'tsconfig.json']);
  try {
    const args = ['--type-aware', '--deny-warnings', '--format', 'json', 'src'];
    const run = spawnSync(OXLINT, args, { cwd: folder, encoding: 'utf8' });
    return { status: run.status, output: run.stdout };
  } finally {
    remove();
  }
}

const PLANTED: [code: string, text: string][] = [
  ['typescript(no-explicit-any)', 'export const pass = (given: any): unknown => given;'],
  ['typescript(no-unsafe-assignment)', "export const read: string = JSON.parse('1');"],
  [
    'typescript(no-unsafe-return)',
    'export const read = (text: string): string => JSON.parse(text);',
  ],
  ['typescript(no-floating-promises)', 'export function start(): void { Promise.resolve(1); }'],
  [
    'typescript(no-misused-promises)',
    'export const each = (ids: string[]): void => ids.forEach(async (id) => { await Promise.resolve(id); });',
  ],
  ['typescript(await-thenable)', 'export const wait = async (): Promise<number> => await 1;'],
  [
    'typescript(switch-exhaustiveness-check)',
    "export function sign(kind: 'credit' | 'debit'): number { switch (kind) { case 'credit': return 1; default: return 0; } }",
  ],
  ['typescript(only-throw-error)', "export function fail(): never { throw 'late'; }"],
  ['typescript(no-non-null-assertion)', 'export const first = (all: number[]): number => all[0]!;'],
  ['typescript(ban-ts-comment)', '// @ts-ignore\nexport const one: string = 1;'],
  ['eslint(no-unused-vars)', 'const unused = 1; export const used = 2;'],
  ['eslint(eqeqeq)', 'export const same = (a: number, b: number): boolean => a == b;'],
  ['eslint(no-console)', "export const say = (): void => console.log('x');"],
  ['import(no-default-export)', 'export default 1;'],
  [
    'eslint(max-lines-per-function)',
    `export function long(): number {\n  let sum = 0;\n${'  sum += 1;\n'.repeat(70)}  return sum;\n}`,
  ],
  [
    'eslint(max-lines)',
    Array.from({ length: 351 }, (_, n) => `export const a${n} = ${n};\n`).join(''),
  ],
];

const CYCLE = {
  'src/there.ts':
    "import { back } from './back.ts'; export const there = (): number => back() + 1;",
  'src/back.ts':
    "import { there } from './there.ts'; export const back = (): number => there() - 1;",
};

test('each planted violation trips the rule that forbids it, and the run fails', () => {
  const planted = PLANTED.map(([, text], index) => [`src/planted-${index}.ts`, text] as const);
  const { status, output } = lint({ ...Object.fromEntries(planted), ...CYCLE });
  const { number_of_files: filesRead, diagnostics } = report.parse(JSON.parse(output));
  const found = diagnostics.map(({ code, filename }) => `${code} ${filename}`);
  const expected = PLANTED.map(([code], index) => `${code} src/planted-${index}.ts`);
  expect(found).toEqual(expect.arrayContaining([...expected, 'import(no-cycle) src/there.ts']));
  expect(filesRead).toBe(PLANTED.length + Object.keys(CYCLE).length);
  expect(status).toBe(1);
});

test('an exhaustive switch that ends in `satisfies never` and a clean file pass', () => {
  const text = `export function sign(kind: 'credit' | 'debit'): number {
  switch (kind) {
    case 'credit':
      return 1;
    case 'debit':
      return -1;
    default:
      kind satisfies never;
      throw new Error('a kind that no one knows');
  }
}
`;
  const { status, output } = lint({ 'src/clean.ts': text });
  const { number_of_files: filesRead, diagnostics } = report.parse(JSON.parse(output));
  expect({ status, filesRead, diagnostics }).toEqual({ status: 0, filesRead: 1, diagnostics: [] });
});

test('a run without a single file fails', () => {
  const { status, output } = lint({ 'src/note.txt': '' });
  expect(output).toContain('No files found');
  expect(status).toBe(1);
});

test('the gate reads every source file of the house', () => {
  const run = spawnSync(OXLINT, ['--debug=files', 'src', 'test'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  const read = run.stdout.split('\n').map((line) => line.trim());
  const expected = [...readSources('src'), ...readSources('test')].map(({ path }) => path);
  expect(expected.length).toBeGreaterThan(0);
  expect(read).toEqual(expect.arrayContaining(expected));
});
