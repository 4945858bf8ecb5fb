import { KEPT_PATH, type Kept } from '../baseline/baseline.ts';
import { Child } from './child.ts';
import { residentBytesOf, startDaemon, type Samples } from './daemon.ts';
import { makeFolder } from '../folder.ts';
import { install } from '../baseline/installed.ts';
import type { Answers } from '../load/load.ts';
import type { ContenderName, Plan } from '../plan.ts';
import { postgresProblem } from '../baseline/postgres.ts';
import { needsPostgres, type BaselineName } from '../baseline/serve-baseline.ts';
import { copyStore, type StoredBooks } from './stored.ts';

/** What a server kept of what it acknowledged. */
export interface Measured {
  /** What is wrong with it; empty when all is well. */
  readonly defects: readonly string[];
  /** Notifications that one transaction, with its one fsync, made durable; null without a store. */
  readonly perTransaction: number | null;
  /** Until it listened, and its memory after the load; null when it was not requested or not reported. */
  readonly startMs: number | null;
  readonly residentBytes: number | null;
}

/** A server under load, with a store of its own that goes away with it. */
export interface Contender {
  readonly url: string;
  readonly pid: number;
  /** Looks at what it kept and ends it. */
  measure(answers: Answers): Promise<Measured>;
  remove(): Promise<void>;
}

/** A replay of everything that a few seconds of load have journalled. */
const VERIFY_MS_MAX = 600_000;

type Started = Omit<Contender, 'remove'> & { readonly end: () => Promise<unknown> };

export function differs(what: string, found: number | undefined, expected: number): string[] {
  return found === expected ? [] : [`${found ?? 'no'} ${what}, but ${expected} by the answers`];
}

/** Without a store everything is new; with one every repeat is found, and nothing else is one. */
export function wronglyAnswered(answers: Answers, hasStore: boolean): string[] {
  const { firsts, repeats, accepted, duplicates } = answers;
  return [
    ...differs('answers said accepted', accepted, hasStore ? firsts : firsts + repeats),
    ...differs('answers said duplicate', duplicates, hasStore ? repeats : 0),
  ];
}

function requestsPer(transactions: number | undefined, answers: Answers): number {
  if (transactions === undefined) return 1;
  return (answers.accepted + answers.duplicates) / transactions;
}

/** This very program in another role: see main.ts. */
async function startBaseline(name: BaselineName, folder: string): Promise<Started> {
  const args = [process.argv[1] ?? '', 'baseline', name, folder];
  const child = await Child.start<{ url: string }>(args);
  const { url } = child.firstLine;
  const measure = async (answers: Answers): Promise<Measured> => {
    const response = await fetch(`${url}${KEPT_PATH}`);
    const { notifications, transactions, defects } = (await response.json()) as Kept;
    await child.end();
    const hasStore = notifications !== null;
    return {
      defects: [
        ...wronglyAnswered(answers, hasStore),
        ...(hasStore ? differs('notifications are stored', notifications, answers.firsts) : []),
        ...defects,
      ],
      perTransaction: hasStore ? requestsPer(transactions, answers) : null,
      startMs: null,
      residentBytes: null,
    };
  };
  return { url: `${url}/hooks/any`, pid: child.pid, measure, end: () => child.end() };
}

function outcome(name: string): string {
  return `counterfoil_notifications_total{outcome="${name}"}`;
}

const COMMITS = 'counterfoil_commits_total{result="ok"}';
const HEAD = 'counterfoil_journal_head_seq';

/** The difference that a load made to the daemon's own figures, beside the answers it gave. */
function miscounted(before: Samples, after: Samples, answers: Answers): string[] {
  const since = (sample: string): number => (after(sample) ?? 0) - (before(sample) ?? 0);
  const { firsts, accepted, duplicates } = answers;
  return [
    ...differs('facts were journalled', since(HEAD), firsts),
    ...differs('accepted by its metrics', since(outcome('accepted')), accepted),
    ...differs('duplicate by its metrics', since(outcome('duplicate')), duplicates),
  ];
}

async function startCounterfoil(
  { program, profile, withoutCopy }: Plan,
  books: StoredBooks | null,
  folder: string,
): Promise<Started> {
  const storePath = copyStore(books, { folder, withoutCopy });
  const daemon = await startDaemon({ program, profile, folder, storePath });
  const before = await daemon.metrics();
  const measure = async (answers: Answers): Promise<Measured> => {
    const after = await daemon.metrics();
    const residentBytes = residentBytesOf(daemon.pid);
    const code = await daemon.end();
    const commits = (after(COMMITS) ?? 0) - (before(COMMITS) ?? 0);
    return {
      defects: [
        ...wronglyAnswered(answers, true),
        ...miscounted(before, after, answers),
        ...(code === 0 ? [] : [`it ended with exit code ${code ?? 'none'}`]),
        // A replay of millions would take longer than what is measured here.
        ...(books === null ? await checkBooks(program, storePath, answers) : []),
      ],
      perTransaction: commits === 0 ? null : (answers.accepted + answers.duplicates) / commits,
      startMs: daemon.startMs,
      residentBytes,
    };
  };
  return { url: daemon.hooksUrl, pid: daemon.pid, measure, end: () => daemon.end() };
}

interface Audit {
  readonly sound: boolean;
  readonly checks: readonly { readonly check: string; readonly examined: number }[];
}

/** What was acknowledged is booked once, and the store is sound. */
async function checkBooks(program: string, path: string, answers: Answers): Promise<string[]> {
  const args = [program, 'verify', '--store', path, '--json'];
  const child = await Child.start<Audit>(args, VERIFY_MS_MAX);
  const { sound, checks } = child.firstLine;
  await child.end();
  const postings = checks.find(({ check }) => check === 'entries_balance')?.examined;
  return [
    ...differs('postings are in the ledger', postings, answers.postings),
    ...(sound ? [] : [`the store is not sound: ${JSON.stringify(checks)}`]),
  ];
}

/** Why a server cannot be measured here, or null; installs what it needs. */
export function problemOf(name: ContenderName): string | null {
  return needsPostgres(name) ? (install() ?? postgresProblem()) : null;
}

/** Starts a server in a process of its own; `books` are what Counterfoil holds already. */
export async function startContender(
  name: ContenderName,
  plan: Plan,
  books: StoredBooks | null,
): Promise<Contender> {
  const folder = makeFolder();
  try {
    const { end, ...started } =
      name === 'counterfoil'
        ? await startCounterfoil(plan, books, folder.path)
        : await startBaseline(name, folder.path);
    return {
      ...started,
      remove: async () => {
        await end();
        folder.remove();
      },
    };
  } catch (error) {
    folder.remove();
    throw error;
  }
}
