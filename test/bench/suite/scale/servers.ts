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

/** Followers may need a while for their last commits on a busy machine. */
const LEVEL_MS_MAX = 120_000;
const LEVEL_POLL_MS = 50;

export const KINDS = [
  'counterfoil',
  'express-postgres',
  'fastify-postgres',
  'fastify-postgres-chain',
] as const;
export type Kind = (typeof KINDS)[number];

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

/** The newest position of the journal, and how many commits and confirmations led there. */
interface Written {
  readonly facts: number;
  readonly commits: number;
}

async function writtenIn({ cluster, database }: ScaleSetup): Promise<Written> {
  const [row] = await cluster.sql<Written>(
    `SELECT last_seq::int AS facts, (commit_number + confirmations)::int AS commits
      FROM counterfoil.ownership`,
    { database },
  );
  if (row === undefined) throw new Error('the journal has no owner row');
  return row;
}

/** What is written once the owner has taken the configured policy, its first fact. */
async function writtenAtStart(setup: ScaleSetup): Promise<Written> {
  for (;;) {
    const written = await writtenIn(setup);
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

async function initJournal({ program }: Plan, address: string): Promise<void> {
  const init = await Child.start([program, 'init', '--store', address, '--json']);
  await init.ended();
}

async function startCounterfoil(
  plan: Plan,
  receivers: number,
  setup: ScaleSetup,
): Promise<Servers> {
  const { program, profile } = plan;
  await initJournal(plan, setup.address);
  const [pathToken, secret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const daemons: Daemon[] = [];
  const end = async (): Promise<(number | null)[]> =>
    Promise.all(daemons.map((daemon) => daemon.end()));
  try {
    for (let number = 1; number <= receivers; number += 1) {
      const folder = join(setup.folder, String(number));
      mkdirSync(folder);
      const shared = {
        store: setup.address,
        name: `receiver-${number}`,
        secret,
        port: await freePort(),
        pathToken,
      };
      const storePath = join(folder, 'replica.db');
      daemons.push(await startDaemon({ program, profile, folder, storePath, shared }));
    }
  } catch (error) {
    await end();
    throw error;
  }
  const before = await writtenAtStart(setup);
  for (const daemon of daemons) await levelDefect(daemon, before.facts);
  const measure = async (answers: Answers): Promise<Kept> => {
    const after = await writtenIn(setup);
    const level = await Promise.all(daemons.map((daemon) => levelDefect(daemon, after.facts)));
    const codes = await end();
    return {
      defects: [
        ...wronglyAnswered(answers, true),
        ...differs('facts are in the journal', after.facts - before.facts, answers.firsts),
        ...level.filter((defect) => defect !== null),
        ...codes.flatMap((code) => (code === 0 ? [] : [`exit code ${code ?? 'none'}`])),
      ],
      perCommit: (answers.firsts + answers.repeats) / (after.commits - before.commits),
    };
  };
  return {
    urls: daemons.map(({ hooksUrl }) => hooksUrl),
    pids: daemons.map(({ pid }) => pid),
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

/** Starts so many receivers of one kind over an empty database. */
export function startServers(
  plan: Plan,
  { kind, receivers }: { readonly kind: Kind; readonly receivers: number },
  setup: ScaleSetup,
): Promise<Servers> {
  return kind === 'counterfoil'
    ? startCounterfoil(plan, receivers, setup)
    : startBaselines(kind, receivers, setup);
}
