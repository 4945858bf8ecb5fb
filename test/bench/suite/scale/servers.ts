import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../e2e/program.ts';
import type { PostgresCluster } from '../../../postgres/cluster.ts';
import { KEPT_PATH, type Kept as BaselineKept } from '../../baseline/baseline.ts';
import type { Answers } from '../../load/load.ts';
import type { Plan } from '../../plan.ts';
import { Child } from '../../server/child.ts';
import { differs, wronglyAnswered } from '../../server/contender.ts';
import { startDaemon, type Daemon } from '../../server/daemon.ts';
import type { Kind, Setup } from './setups.ts';

/** Followers may need a while for their last commits on a busy machine. */
const LEVEL_MS_MAX = 120_000;
const LEVEL_POLL_MS = 50;

/** What the receivers of one run kept. */
interface Kept {
  readonly defects: readonly string[];
  /** Notifications that one commit made durable. */
  readonly perCommit: number;
}

/** Running receivers of one kind over one database. */
export interface Servers {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** Compares the database with the answers. */
  measure(answers: Answers): Promise<Kept>;
  end(): Promise<void>;
}

/** Where the receivers of one run work. */
export interface ScaleSetup {
  readonly cluster: PostgresCluster;
  readonly database: string;
  /** The database's address for receivers. */
  readonly address: string;
  readonly folder: string;
}

/** The newest position of a journal, and how many commits and confirmations led there. */
interface Written {
  readonly facts: number;
  readonly commits: number;
}

async function writtenIn({ cluster, database }: ScaleSetup, schema: string): Promise<Written> {
  const [row] = await cluster.sql<Written>(
    `SELECT last_seq::int AS facts, (commit_number + confirmations)::int AS commits
      FROM ${schema}.ownership`,
    { database },
  );
  if (row === undefined) throw new Error('the journal has no owner row');
  return row;
}

/** What is written once the owner has taken the configured policy, its first fact. */
async function writtenAtStart(setup: ScaleSetup, schema: string): Promise<Written> {
  for (;;) {
    const written = await writtenIn(setup, schema);
    if (written.facts > 0) return written;
    await pause(LEVEL_POLL_MS);
  }
}

interface Ready {
  readonly receiver: { readonly role: string; readonly position: number };
}

/** Waits until a receiver's replica holds the journal; says what it is when that takes too long. */
async function levelDefect(daemon: Daemon, facts: number): Promise<string | null> {
  const until = Date.now() + LEVEL_MS_MAX;
  for (;;) {
    const { receiver } = (await (await fetch(`${daemon.url}/readyz`)).json()) as Ready;
    const { role, position } = receiver;
    if (position === facts && (role === 'owner' || role === 'follower')) return null;
    if (Date.now() > until) return `a receiver is ${role} at ${position}, not at ${facts}`;
    await pause(LEVEL_POLL_MS);
  }
}

/** A journal in a schema of its own, with its receivers. */
interface Journal {
  readonly schema: string;
  readonly daemons: readonly Daemon[];
  readonly before: Written;
}

async function startJournal(
  { program, profile }: Plan,
  of: { readonly schema: string; readonly receivers: number; readonly pathToken: string },
  { setup, started }: { readonly setup: ScaleSetup; readonly started: Daemon[] },
): Promise<Journal> {
  const { schema, receivers, pathToken } = of;
  const store = `${setup.address}?schema=${schema}`;
  const init = await Child.start([program, 'init', '--store', store, '--json']);
  await init.ended();
  const secret = randomBytes(32).toString('hex');
  const daemons: Daemon[] = [];
  for (let number = 1; number <= receivers; number += 1) {
    const folder = join(setup.folder, `${schema}-${number}`);
    mkdirSync(folder);
    const shared = { store, name: `receiver-${number}`, secret, port: await freePort(), pathToken };
    const storePath = join(folder, 'replica.db');
    const daemon = await startDaemon({ program, profile, folder, storePath, shared });
    started.push(daemon);
    daemons.push(daemon);
  }
  const before = await writtenAtStart(setup, schema);
  for (const daemon of daemons) await levelDefect(daemon, before.facts);
  return { schema, daemons, before };
}

/** What a journal holds since its receivers started, and what is wrong with its replicas. */
async function growthOf(
  setup: ScaleSetup,
  { schema, daemons, before }: Journal,
): Promise<Written & { readonly defects: readonly string[] }> {
  const { facts, commits } = await writtenIn(setup, schema);
  const level = await Promise.all(daemons.map((daemon) => levelDefect(daemon, facts)));
  return {
    facts: facts - before.facts,
    commits: commits - before.commits,
    defects: level.filter((defect) => defect !== null),
  };
}

async function startCounterfoil(
  plan: Plan,
  { journals, receivers }: Setup,
  setup: ScaleSetup,
): Promise<Servers> {
  const pathToken = randomBytes(32).toString('hex');
  const started: Daemon[] = [];
  const end = async (): Promise<(number | null)[]> =>
    Promise.all(started.map((daemon) => daemon.end()));
  const all: Journal[] = [];
  try {
    for (let number = 1; number <= journals; number += 1) {
      const of = { schema: `journal_${number}`, receivers, pathToken };
      all.push(await startJournal(plan, of, { setup, started }));
    }
  } catch (error) {
    await end();
    throw error;
  }
  const measure = async (answers: Answers): Promise<Kept> => {
    const grown = await Promise.all(all.map((journal) => growthOf(setup, journal)));
    const codes = await end();
    const sum = (of: 'facts' | 'commits'): number =>
      grown.reduce((total, one) => total + one[of], 0);
    return {
      defects: [
        ...wronglyAnswered(answers, true),
        ...differs('facts are in the journals', sum('facts'), answers.firsts),
        ...grown.flatMap(({ defects }) => defects),
        ...codes.flatMap((code) => (code === 0 ? [] : [`exit code ${code ?? 'none'}`])),
      ],
      perCommit: (answers.firsts + answers.repeats) / sum('commits'),
    };
  };
  return {
    urls: started.map(({ hooksUrl }) => hooksUrl),
    pids: started.map(({ pid }) => pid),
    measure,
    end: async () => void (await end()),
  };
}

async function startBaselines(
  kind: Exclude<Kind, 'counterfoil'>,
  receivers: number,
  { address }: ScaleSetup,
): Promise<Servers> {
  const children: Child<{ url: string }>[] = [];
  const end = async (): Promise<void> => void (await Promise.all(children.map((one) => one.end())));
  try {
    for (let number = 1; number <= receivers; number += 1) {
      children.push(await Child.start([process.argv[1] ?? '', 'baseline', kind, address]));
    }
  } catch (error) {
    await end();
    throw error;
  }
  const measure = async (answers: Answers): Promise<Kept> => {
    const response = await fetch(`${children[0]?.firstLine.url}${KEPT_PATH}`);
    const { notifications, defects } = (await response.json()) as BaselineKept;
    return {
      defects: [
        ...wronglyAnswered(answers, true),
        ...differs('notifications are stored', notifications ?? 0, answers.firsts),
        ...defects,
      ],
      perCommit: 1,
    };
  };
  return {
    urls: children.map(({ firstLine }) => `${firstLine.url}/hooks/any`),
    pids: children.map(({ pid }) => pid),
    measure,
    end,
  };
}

/** Starts the receivers of a setup over an empty database. */
export function startServers(plan: Plan, setup: Setup, where: ScaleSetup): Promise<Servers> {
  const { kind, receivers } = setup;
  return kind === 'counterfoil'
    ? startCounterfoil(plan, setup, where)
    : startBaselines(kind, receivers, where);
}
