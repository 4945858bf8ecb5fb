import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { RunnerTestCase, RunnerTestFile } from 'vitest';
import { z } from 'zod';
import { GROUPS, rowIdsOf } from './rows.ts';
import type { Group, RowId } from './rows.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Rows of the specification that this test proves. */
    rows?: readonly string[];
  }
}

/** The option of a test that proves these rows: `test('…', covers('progress/mined'), …)`. */
export function covers(...rows: readonly RowId[]): { meta: { rows: readonly RowId[] } } {
  return { meta: { rows } };
}

function testsOf(tasks: RunnerTestFile['tasks']): RunnerTestCase[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task.tasks) : [task]));
}

/**
 * Records the results of the file's tests. Call the returned function at the end. It returns the
 * rows of the group without a passing test, and rows of other groups that the tests name. A run
 * that `-t` narrows proves nothing, so it reports nothing.
 */
export function watchCoverage(group: Group): () => string[] {
  let file: RunnerTestFile | undefined;
  afterEach(({ task }) => {
    file = task.file;
  });
  return () => {
    const tests = testsOf(file?.tasks ?? []);
    if (tests.some(({ mode }) => mode === 'skip')) return [];
    const named = tests.flatMap(({ meta }) => meta.rows ?? []);
    const passed = tests.filter(({ result }) => result?.state === 'pass');
    const proved = new Set(passed.flatMap(({ meta }) => meta.rows ?? []));
    const rows = rowIdsOf(group);
    const strangers = named.filter((row) => !rows.some((own) => own === row));
    const missing = rows.filter((row) => !proved.has(row));
    publish(group, { covered: rows.length - missing.length, total: rows.length });
    return [
      ...strangers.map((row) => `row of another file: ${row}`),
      ...missing.map((row) => `row without a passing test: ${row}`),
    ];
  };
}

const FOLDER_PREFIX = 'conformance-';

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

/** Deletes the folders of earlier runs: a run of a single file never prints a sum. */
function forgetEndedRuns(): void {
  for (const name of readdirSync(tmpdir())) {
    const processId = new RegExp(`^${FOLDER_PREFIX}(\\d+)$`).exec(name)?.[1];
    if (processId === undefined || isAlive(Number(processId))) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

const tally = z.object({ covered: z.int(), total: z.int() });

/**
 * Test files run in processes of their own. Each stores its count where the other files of the same
 * run find it, and the last file prints the sum.
 */
function publish(group: Group, count: z.infer<typeof tally>): void {
  forgetEndedRuns();
  const folder = join(tmpdir(), `${FOLDER_PREFIX}${process.ppid}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, group), JSON.stringify(count));
  console.log(`conformance: ${group}: ${count.covered} of ${count.total} rows covered`);
  if (readdirSync(folder).length < GROUPS.length) return;
  const sum = { covered: 0, total: 0 };
  for (const name of readdirSync(folder)) {
    const { covered, total } = tally.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    sum.covered += covered;
    sum.total += total;
  }
  rmSync(folder, { recursive: true, force: true });
  console.log(`conformance: all: ${sum.covered} of ${sum.total} rows covered`);
}
