import { performance } from 'node:perf_hooks';
import { Child } from '../server/child.ts';
import { inFolder } from '../folder.ts';
import type { Plan } from '../plan.ts';
import { copyStore, storedBooks, type StoredBooks } from '../server/stored.ts';
import type { SuiteResult } from './suite.ts';
import { figure, markdown } from '../figures/table.ts';

const STORED = 200_000;

/** Longer than any store that a person would wait for. */
const COMMAND_MS_MAX = 4 * 3_600_000;

const COMMANDS = ['verify', 'rebuild'] as const;

interface Timed {
  readonly command: (typeof COMMANDS)[number];
  readonly stored: number;
  readonly seconds: number;
  readonly factsPerSecond: number;
}

/** A command of the program on a copy, from the start of its process to its end. */
async function time(
  command: Timed['command'],
  { program }: Plan,
  books: StoredBooks,
): Promise<{ timed: Timed; defects: string[] }> {
  return inFolder(async (folder) => {
    const path = copyStore(books, { folder, withoutCopy: false });
    const startedMs = performance.now();
    const child = await Child.start<{ facts: number; sound?: boolean }>(
      [program, command, '--store', path, '--json'],
      COMMAND_MS_MAX,
    );
    await child.ended();
    const seconds = (performance.now() - startedMs) / 1000;
    const { facts, sound } = child.firstLine;
    const stored = books.notifications;
    return {
      timed: { command, stored, seconds, factsPerSecond: facts / seconds },
      defects: sound === false ? [`${command} of ${stored}: the store is not sound`] : [],
    };
  });
}

/** `counterfoil verify` and `counterfoil rebuild` of filled stores. */
export async function measureLedger(plan: Plan): Promise<SuiteResult> {
  const timings: Timed[] = [];
  const defects: string[] = [];
  for (const count of plan.stored ?? [STORED]) {
    const books = await storedBooks(plan.program, { count, vaults: plan.vaults });
    for (const command of COMMANDS) {
      const { timed, defects: more } = await time(command, plan, books);
      timings.push(timed);
      defects.push(...more);
    }
  }
  const text = markdown(
    ['command', 'stored', 'seconds', 'facts/s'],
    timings.map(({ command, stored, seconds, factsPerSecond }) => [
      command,
      String(stored),
      figure(seconds, 1),
      figure(factsPerSecond, 0),
    ]),
  );
  return { text, figures: { timings }, defects };
}
