import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEPT_PATH, type Kept } from './baseline.ts';
import { Child } from './child.ts';
import { install } from './installed.ts';
import type { Answers } from './load.ts';
import type { ContenderName, Plan } from './plan.ts';
import { postgresProblem } from './postgres.ts';
import { needsPostgres, type BaselineName } from './serve-baseline.ts';

/** What a server kept of what it acknowledged. */
export interface Settled {
  /** What is wrong with it; empty when all is well. */
  readonly defects: readonly string[];
  /** Notifications that one transaction, with its one fsync, made durable; null without a store. */
  readonly perTransaction: number | null;
}

/** A server under load, with a store of its own that goes away with it. */
export interface Contender {
  readonly url: string;
  readonly pid: number;
  /** Looks at what it kept and ends it. */
  settle(answers: Answers): Promise<Settled>;
  remove(): Promise<void>;
}

/** A replay of everything that a few seconds of load have journalled. */
const VERIFY_MS_MAX = 600_000;

interface Server {
  readonly child: Child<{ url: string }>;
  readonly path: string;
  readonly settle: (answers: Answers) => Promise<Settled>;
}

function differs(what: string, found: number | undefined, expected: number): string[] {
  return found === expected ? [] : [`${found ?? 'no'} ${what}, but ${expected} by the answers`];
}

/** Without a store everything is new; with one every repeat is found, and nothing else is one. */
function wronglyAnswered(answers: Answers, hasStore: boolean): string[] {
  const { firsts, repeats, accepted, duplicates } = answers;
  return [
    ...differs('answers said accepted', accepted, hasStore ? firsts : firsts + repeats),
    ...differs('answers said duplicate', duplicates, hasStore ? repeats : 0),
  ];
}

/** This very program in another role: see main.ts. */
async function startBaseline(name: BaselineName, folder: string): Promise<Server> {
  const args = [process.argv[1] ?? '', 'baseline', name, folder];
  const child = await Child.start<{ url: string }>(args);
  const settle = async (answers: Answers): Promise<Settled> => {
    const response = await fetch(`${child.firstLine.url}${KEPT_PATH}`);
    const { notifications, defects } = (await response.json()) as Kept;
    await child.end();
    const hasStore = notifications !== null;
    return {
      defects: [
        ...wronglyAnswered(answers, hasStore),
        ...(hasStore ? differs('notifications are stored', notifications, answers.firsts) : []),
        ...defects,
      ],
      perTransaction: hasStore ? 1 : null,
    };
  };
  return { child, path: '/hooks/any', settle };
}

function writeConfig(folder: string, storePath: string, pathToken: string): string {
  const path = join(folder, 'config.json');
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    store: `sqlite:${storePath}`,
    intake: { pathTokens: [pathToken] },
    crediting: { default: { confirmations: 6 }, networks: {}, assets: {} },
    // Once a year: intake alone is measured.
    reconcile: { sweep: '0 0 1 1 *' },
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function startCounterfoil({ program, profile }: Plan, folder: string): Promise<Server> {
  const storePath = join(folder, 'store.db');
  const pathToken = randomBytes(32).toString('hex');
  const config = writeConfig(folder, storePath, pathToken);
  const profiling = profile === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const args = [...profiling, program, 'serve', '--config', config, '--json'];
  const child = await Child.start<{ url: string }>(args);
  const settle = async (answers: Answers): Promise<Settled> => {
    const metrics = await metricsOf(child.firstLine.url);
    const code = await child.end();
    const commits = metrics('counterfoil_commits_total{result="ok"}') ?? 0;
    const { accepted, duplicates } = answers;
    const { defects } = await checkBooks(program, storePath, answers);
    return {
      defects: [
        ...wronglyAnswered(answers, true),
        ...differs('accepted by its metrics', metrics(outcome('accepted')) ?? 0, accepted),
        ...differs('duplicate by its metrics', metrics(outcome('duplicate')) ?? 0, duplicates),
        ...(code === 0 ? [] : [`it ended with exit code ${code ?? 'none'}`]),
        ...defects,
      ],
      perTransaction: commits === 0 ? null : (accepted + duplicates) / commits,
    };
  };
  return { child, path: `/hooks/${pathToken}`, settle };
}

function outcome(name: string): string {
  return `counterfoil_notifications_total{outcome="${name}"}`;
}

/** Samples of the daemon's `/metrics`, by name and labels. */
async function metricsOf(url: string): Promise<(sample: string) => number | undefined> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const samples = new Map(
    page.split('\n').map((line) => {
      const blank = line.lastIndexOf(' ');
      return [line.slice(0, blank), Number(line.slice(blank + 1))] as const;
    }),
  );
  return (sample) => samples.get(sample);
}

interface Audit {
  readonly sound: boolean;
  readonly facts: number;
  readonly checks: readonly { readonly check: string; readonly examined: number }[];
}

/** Facts beside notifications in a store that took nothing else: the policy of the configuration. */
const FACTS_AT_START = 1;

/** What was acknowledged is in the journal once, is booked once, and the store is sound. */
async function checkBooks(
  program: string,
  storePath: string,
  answers: Answers,
): Promise<{ defects: string[] }> {
  const args = [program, 'verify', '--store', storePath, '--json'];
  const child = await Child.start<Audit>(args, VERIFY_MS_MAX);
  const { sound, facts, checks } = child.firstLine;
  await child.end();
  const postings = checks.find(({ check }) => check === 'entries_balance')?.examined;
  return {
    defects: [
      ...differs('facts are in the journal', facts, FACTS_AT_START + answers.firsts),
      ...differs('postings are in the ledger', postings, answers.postings),
      ...(sound ? [] : [`the store is not sound: ${JSON.stringify(checks)}`]),
    ],
  };
}

/** Why a server cannot be measured here, or null; installs what it needs. */
export function problemOf(name: ContenderName): string | null {
  return needsPostgres(name) ? (install() ?? postgresProblem()) : null;
}

/** Starts a server in a process of its own, with an empty store. */
export async function startContender(name: ContenderName, plan: Plan): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const { child, path, settle } =
      name === 'counterfoil'
        ? await startCounterfoil(plan, folder)
        : await startBaseline(name, folder);
    return {
      url: `${child.firstLine.url}${path}`,
      pid: child.pid,
      settle,
      remove: async () => {
        await child.end();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
